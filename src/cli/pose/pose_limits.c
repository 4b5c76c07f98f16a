/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Pmin and Pmax come from: see pose_limits.h. */
#define _GNU_SOURCE
#include "cli/pose/pose_limits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "base/world/world.h"
#include "cli/run/idle.h"
#include "model/calibration/calibration.h"

#define KIND  "pose"
#define TOTAL "total"

enum { ITEMS = 64 };

/* Sections that are summed. */
struct parts {
    const struct wtl_calibration_section *sections[ITEMS];
    size_t count;
};

void wtl_pose_limits_init(struct wtl_pose_limits *limits, const struct wtl_pose_options *options)
{
    const struct wtl_world *world = wtl_world_real();
    struct utsname name;
    *limits = (struct wtl_pose_limits){.options = options};
    if (world->ops->uname(world, &name) == 0)
        (void)snprintf(limits->host, sizeof limits->host, "%s", name.nodename);
}

static const char *item_of(const struct wtl_pose_limits *limits)
{
    return limits->options->channel ? limits->options->channel : TOTAL;
}

static int load(const struct wtl_pose_limits *limits,
                const char *host,
                const char *item,
                struct wtl_calibration **ret_calibration,
                struct wattle_error *err)
{
    struct wattle_error why = {""};
    char path[512];
    int rc = wtl_calibration_load(wtl_world_real(), limits->options->calibration, KIND, host, item,
                                  ret_calibration, path, sizeof path, &why);
    if (rc == -ENOENT)
        return wtl_fail(err, rc, "%s; or use --pmin and --pmax", why.text);
    return rc < 0 ? wtl_fail(err, rc, "%s", why.text) : 0;
}

/* "powercap:package-0" belongs to the domain "package". */
static bool is_of_domain(const char *item, const char *domain)
{
    const char *colon = strchr(item, ':');
    size_t n = strlen(domain);
    return colon && strncmp(colon + 1, domain, n) == 0 && colon[1 + n] == '-' &&
           colon[2 + n + strspn(colon + 2 + n, "0123456789")] == '\0';
}

/* May the channels of a domain be summed? Not if they may contain each other, or if two sensors measure the same part. */
static bool adds_up(const struct parts *parts, const char *domain)
{
    static const char *const whole[] = {"node", "psys", "board", "other"};
    const char *first = parts->sections[0]->item;
    size_t sensor = strcspn(first, ":") + 1;
    for (size_t i = 0; parts->count > 1 && i < sizeof whole / sizeof *whole; i++)
        if (strcmp(domain, whole[i]) == 0)
            return false;
    for (size_t i = 1; i < parts->count; i++)
        if (strncmp(parts->sections[i]->item, first, sensor) != 0)
            return false;
    return true;
}

/* Find the calibrated channels of a domain; returns 0 even if there are none. */
static int find_domain(const struct wtl_calibration *calibration,
                       const char *host,
                       const char *domain,
                       struct parts *parts,
                       struct wattle_error *err)
{
    char names[200] = "";
    size_t used = 0;
    parts->count = 0;
    for (size_t i = 0; i < wtl_calibration_count(calibration) && parts->count < ITEMS; i++) {
        const struct wtl_calibration_section *section = wtl_calibration_section(calibration, i);
        if (strcmp(section->kind, KIND) != 0 || strcmp(section->host, host) != 0 ||
            !is_of_domain(section->item, domain))
            continue;
        parts->sections[parts->count++] = section;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                                     section->item);
    }
    if (parts->count == 0 || adds_up(parts, domain))
        return 0;
    return wtl_fail(
        err, -ENOTSUP,
        "the calibrated channels of \"%.40s\" cannot be summed; choose one with --channel: %s",
        domain, names);
}

/* The section of an item; for a domain, which has no section, those of its channels. */
static int load_parts(const struct wtl_pose_limits *limits,
                      const char *host,
                      const char *item,
                      struct wtl_calibration **ret_calibration,
                      struct parts *parts,
                      struct wattle_error *err)
{
    int rc = load(limits, host, item, ret_calibration, err);
    if (rc == 0) {
        parts->count = 1;
        parts->sections[0] = wtl_calibration_find(*ret_calibration, KIND, host, item);
        return 0;
    }
    if (rc != -ENOENT || load(limits, host, TOTAL, ret_calibration, NULL) < 0)
        return rc;
    rc = find_domain(*ret_calibration, host, item, parts, err);
    if (rc == 0 && parts->count > 0)
        return 0;
    wtl_calibration_destroy(*ret_calibration);
    return rc < 0 ? rc : -ENOENT; /* as reported above */
}

/* The items whose power corresponds to the energy of the subject: for --channel, which may be a domain, the
 * channels that its traces sum. Returns their number, 0 = too many. */
static size_t items_of(const struct wtl_pose_limits *limits,
                       const struct wtl_pose_subject *subject,
                       const char *items[ITEMS])
{
    size_t count = 0;
    items[0] = item_of(limits);
    if (strcmp(items[0], TOTAL) == 0 || !subject->results)
        return 1;
    for (size_t i = 0; i < subject->results[0].channel_count; i++) {
        const struct wattle_channel *channel = &subject->results[0].channels[i].channel;
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        if (count == ITEMS)
            return 0;
        items[count++] = channel->name;
    }
    return count;
}

static unsigned want(bool pmin, bool pmax)
{
    return (pmin ? (unsigned)WTL_POSE_WANT_PMIN : 0) | (pmax ? (unsigned)WTL_POSE_WANT_PMAX : 0);
}

/* The bounds of a host into limits->bounds. */
static int find(struct wtl_pose_limits *limits,
                const struct wtl_pose_subject *subject,
                const char *host,
                unsigned wanted,
                struct wattle_error *err)
{
    struct wtl_calibration *calibration;
    struct parts parts = {.count = 0};
    const char *items[ITEMS];
    limits->used = true;
    /* Traces of the same host may sum other channels. */
    if (!subject->results && limits->last[0] && strcmp(limits->last, host) == 0 &&
        limits->wanted == wanted)
        return 0;
    size_t count = items_of(limits, subject, items);
    if (count == 0)
        return wtl_fail(err, -E2BIG, "more than %d channels are summed; use --pmin and --pmax",
                        (int)ITEMS);
    int rc = load_parts(limits, host, items[0], &calibration, &parts, err);
    if (rc < 0)
        return rc;
    for (size_t i = 1; rc == 0 && i < count; i++) {
        parts.sections[parts.count++] = wtl_calibration_find(calibration, KIND, host, items[i]);
        if (!parts.sections[i])
            rc = wtl_fail(err, -ENOENT,
                          "the calibration of %s has %s but not %s; calibrate again, or use --pmin "
                          "and --pmax",
                          host, items[0], items[i]);
    }
    rc = rc < 0 ? rc
                : wtl_pose_bounds_of_sum(parts.sections, parts.count, wanted,
                                         limits->options->floor, &limits->bounds, err);
    wtl_calibration_destroy(calibration);
    limits->last[0] = '\0';
    limits->wanted = wanted;
    if (rc == 0 && !subject->results)
        (void)snprintf(limits->last, sizeof limits->last, "%s", host);
    return rc;
}

/* Set a bound of the subject from the calibration, if not already set. */
static int set_bound(double *power_w,
                     double *half_w,
                     char **name,
                     const struct wtl_pose_bound *bound,
                     struct wattle_error *err)
{
    *power_w = bound->power_w;
    *half_w = bound->half_w;
    *name = strdup(bound->name);
    return *name ? 0 : wtl_no_memory(err);
}

/* Flag if energy and bounds cover different parts. */
static int flag_others(const struct wtl_pose_limits *limits,
                       struct wtl_pose_subject *subject,
                       const struct wtl_pose_bounds *bounds,
                       const char *are)
{
    if (!subject->contains || !bounds->contains[0] || strcmp(item_of(limits), TOTAL) != 0 ||
        strcmp(subject->contains, bounds->contains) == 0)
        return 0;
    return wtl_pose_subject_flag(subject, "BOUNDS_OF_OTHERS",
                                 "the energy is that of \"%.60s\" but %s of \"%.60s\"; select a "
                                 "common channel with --channel",
                                 subject->contains, are, bounds->contains);
}

/* Add flags about the calibration of the requested bounds. */
static int flag(const struct wtl_pose_limits *limits,
                struct wtl_pose_subject *subject,
                const struct wtl_pose_bounds *bounds,
                unsigned wanted,
                struct wattle_error *err)
{
    static const char *const words[][3] = {
        [WTL_POSE_WANT_PMIN] = {"Pmin was", "Pmin is", "Pmin"},
        [WTL_POSE_WANT_PMAX] = {"Pmax was", "Pmax is", "Pmax"},
        [WTL_POSE_WANT_BOTH] = {"Pmin and Pmax were", "Pmin and Pmax are", "Pmin or Pmax"},
    };
    int rc = 0;
    if (bounds->simulated)
        rc = wtl_pose_subject_flag(subject, "BOUNDS_SIMULATED",
                                   "%s calibrated on a simulated machine", words[wanted][0]);
    if (rc == 0)
        rc = flag_others(limits, subject, bounds, words[wanted][1]);
    if (rc == 0 && !bounds->settled)
        rc = wtl_pose_subject_flag(
            subject, "BOUNDS_DRIFT",
            "power was still drifting when %s was measured; calibrate again with a longer --settle",
            words[wanted][2]);
    if (rc == 0 && bounds->busy_cpus > WTL_IDLE_CPUS)
        rc = wtl_pose_subject_flag(subject, "BOUNDS_NOT_ALONE",
                                   "other programs used %.2f CPUs when %s calibrated; calibrate "
                                   "again on an idle machine",
                                   bounds->busy_cpus, words[wanted][0]);
    char differs[200];
    if (rc == 0 && subject->results &&
        wtl_pose_bounds_differ(bounds, &subject->results[0], differs, sizeof differs))
        rc = wtl_pose_subject_flag(subject, "BOUNDS_CONDITIONS",
                                   "conditions differ from when %s calibrated: %s; calibrate again "
                                   "under the conditions of the code",
                                   words[wanted][0], differs);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

int wtl_pose_limits_set(struct wtl_pose_limits *limits,
                        struct wtl_pose_subject *subject,
                        struct wattle_error *err)
{
    const struct wtl_pose_options *options = limits->options;
    struct wtl_pose_code *code = &subject->code;
    if (!isnan(options->pmin_w))
        code->pmin_w = options->pmin_w;
    if (!isnan(options->pmax_w))
        code->pmax_w = options->pmax_w;
    bool low = isnan(code->pmin_w), high = isnan(code->pmax_w);
    subject->bounds_origin = low || high ? WTL_POSE_CALIBRATION : WTL_POSE_GIVEN;
    if (!low && !high)
        return 0;
    unsigned wanted = want(low, high);
    int rc = find(limits, subject, subject->group ? subject->group : limits->host, wanted, err);
    if (rc < 0)
        return rc;
    subject->bounds_quality = limits->bounds.quality;
    subject->bounds_simulated = limits->bounds.simulated;
    rc = flag(limits, subject, &limits->bounds, wanted, err);
    if (rc < 0)
        return rc;
    if (low)
        rc = set_bound(&code->pmin_w, &subject->doubt.pmin_half_w, &subject->pmin_name,
                       &limits->bounds.pmin, err);
    if (rc == 0 && high)
        rc = set_bound(&code->pmax_w, &subject->doubt.pmax_half_w, &subject->pmax_name,
                       &limits->bounds.pmax, err);
    return rc;
}

/* ---- machines ---- */

int wtl_pose_limits_add(struct wtl_pose_study *study,
                        const char *name,
                        const char *group,
                        double pmin_w,
                        double pmax_w,
                        struct wattle_error *err)
{
    if (wtl_grow(&study->systems, study->system_count, sizeof *study->systems) < 0)
        return wtl_no_memory(err);
    struct wtl_pose_system_summary *system = &study->systems[study->system_count++];
    *system = (struct wtl_pose_system_summary){
        .pmin_w = pmin_w,
        .pmax_w = pmax_w,
        .pmin_half_w = (double)NAN,
        .pmax_half_w = (double)NAN,
        .name = name ? strdup(name) : NULL,
        .group = group ? strdup(group) : NULL,
    };
    bool lacks = (name && !system->name) || (group && !system->group);
    return lacks ? wtl_no_memory(err) : 0;
}

/* Set bounds and flags of the last machine from a section. */
static int describe(const struct wtl_pose_limits *limits,
                    struct wtl_pose_system_summary *system,
                    const struct wtl_pose_bounds *bounds,
                    unsigned wanted,
                    struct wattle_error *err)
{
    struct wtl_pose_subject said = {.flags = NULL};
    bool low = wanted & WTL_POSE_WANT_PMIN, high = wanted & WTL_POSE_WANT_PMAX;
    system->bounds_origin = WTL_POSE_CALIBRATION;
    system->bounds_quality = bounds->quality;
    system->bounds_simulated = bounds->simulated;
    int rc = low ? set_bound(&system->pmin_w, &system->pmin_half_w, &system->pmin_name,
                             &bounds->pmin, err)
                 : 0;
    if (rc == 0 && high)
        rc = set_bound(&system->pmax_w, &system->pmax_half_w, &system->pmax_name, &bounds->pmax,
                       err);
    if (rc == 0 && bounds->quality == WATTLE_ESTIMATED)
        rc = wtl_pose_subject_flag(&said, "BOUNDS_ESTIMATED",
                                   "%s estimated by a model, not measured",
                                   low && high ? "Pmin and Pmax are"
                                   : low       ? "Pmin is"
                                               : "Pmax is");
    rc = rc < 0 ? rc : flag(limits, &said, bounds, wanted, err);
    system->flags = said.flags;
    system->flag_count = said.flag_count;
    return rc < 0 ? wtl_no_memory(err) : 0;
}

static int add_parts(const struct wtl_pose_limits *limits,
                     struct wtl_pose_study *study,
                     const struct parts *parts,
                     const char *item,
                     struct wattle_error *err)
{
    const struct wtl_pose_options *options = limits->options;
    unsigned wanted = want(isnan(options->pmin_w), isnan(options->pmax_w));
    struct wtl_pose_bounds bounds;
    int rc =
        wtl_pose_bounds_of_sum(parts->sections, parts->count, wanted, options->floor, &bounds, err);
    if (rc < 0)
        return rc;
    rc = wtl_pose_limits_add(study, strcmp(item, TOTAL) == 0 ? "node" : item,
                             parts->sections[0]->host, options->pmin_w, options->pmax_w, err);
    return rc < 0
               ? rc
               : describe(limits, &study->systems[study->system_count - 1], &bounds, wanted, err);
}

/* Add the other items of a host; those without bounds are listed with the first machine. */
static int add_others(const struct wtl_pose_limits *limits,
                      struct wtl_pose_study *study,
                      const struct wtl_calibration *calibration,
                      const struct wtl_calibration_section *first,
                      struct wattle_error *err)
{
    char without[160] = "";
    size_t used = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_calibration_count(calibration); i++) {
        const struct wtl_calibration_section *section = wtl_calibration_section(calibration, i);
        if (strcmp(section->kind, KIND) != 0 || strcmp(section->host, first->host) != 0 ||
            strcmp(section->item, first->item) == 0)
            continue;
        const struct parts one = {{section}, 1};
        rc = add_parts(limits, study, &one, section->item, err);
        if (rc != -EBADMSG && rc != -ENOENT)
            continue;
        rc = 0;
        if (used < sizeof without)
            used += (size_t)snprintf(without + used, sizeof without - used, "%s%.60s",
                                     used ? ", " : "", section->item);
    }
    if (rc < 0 || used == 0)
        return rc;
    struct wtl_pose_system_summary *system = &study->systems[0];
    struct wtl_pose_subject said = {.flags = system->flags, .flag_count = system->flag_count};
    rc = wtl_pose_subject_flag(&said, "BOUNDS_MISSING", "skipped, no usable bounds: %s", without);
    system->flags = said.flags;
    system->flag_count = said.flag_count;
    return rc < 0 ? wtl_no_memory(err) : 0;
}

int wtl_pose_limits_machine(struct wtl_pose_limits *limits,
                            struct wtl_pose_study *study,
                            struct wattle_error *err)
{
    const struct wtl_pose_options *options = limits->options;
    struct wtl_calibration *calibration;
    if (!isnan(options->pmin_w) && !isnan(options->pmax_w))
        return wtl_pose_limits_add(study, NULL, NULL, options->pmin_w, options->pmax_w, err);
    struct parts parts = {.count = 0};
    int rc = load_parts(limits, limits->host, item_of(limits), &calibration, &parts, err);
    if (rc < 0)
        return rc;
    rc = add_parts(limits, study, &parts, item_of(limits), err);
    /* A given bound applies to the selected item, not to its components. */
    bool alone = options->channel || !isnan(options->pmin_w) || !isnan(options->pmax_w);
    if (rc == 0 && !alone)
        rc = add_others(limits, study, calibration, parts.sections[0], err);
    wtl_calibration_destroy(calibration);
    return rc;
}

/* ---- groups of codes ---- */

struct member {
    const struct wtl_pose_subject *of;
};

static int by_group(const void *a, const void *b)
{
    const struct wtl_pose_subject *p = ((const struct member *)a)->of;
    const struct wtl_pose_subject *q = ((const struct member *)b)->of;
    int order = strcmp(p->group ? p->group : "", q->group ? q->group : "");
    return order ? order : (p > q) - (p < q);
}

struct group {
    const struct wtl_pose_subject *first;
    const struct wtl_pose_subject *low, *high; /* with the lowest Pmin, with the highest Pmax */
};

static int by_first(const void *a, const void *b)
{
    const struct group *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

/* Group the sorted subjects; returns the number of groups. */
static size_t gather(const struct member *sorted, size_t n, struct group *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct wtl_pose_subject *of = sorted[i].of;
        struct group *group = &groups[count > 0 ? count - 1 : 0];
        const char *name = of->group ? of->group : "";
        if (count == 0 || strcmp(group->first->group ? group->first->group : "", name) != 0) {
            groups[count++] = (struct group){of, of, of};
            continue;
        }
        if (of->code.pmin_w < group->low->code.pmin_w)
            group->low = of;
        if (of->code.pmax_w > group->high->code.pmax_w)
            group->high = of;
    }
    return count;
}

int wtl_pose_limits_groups(struct wtl_pose_study *study, struct wattle_error *err)
{
    size_t n = study->subject_count, count = 0;
    struct member *sorted = calloc(n ? n : 1, sizeof *sorted);
    struct group *groups = calloc(n ? n : 1, sizeof *groups);
    if (!sorted || !groups) {
        free(sorted);
        free(groups);
        return wtl_no_memory(err);
    }
    int rc = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i].of = &study->subjects[i];
    wtl_sort(sorted, n, sizeof *sorted, by_group);
    count = gather(sorted, n, groups);
    wtl_sort(groups, count, sizeof *groups, by_first); /* in input order */
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct wtl_pose_subject *low = groups[i].low, *high = groups[i].high;
        rc = wtl_pose_limits_add(study, NULL, groups[i].first->group, low->code.pmin_w,
                                 high->code.pmax_w, err);
        if (rc < 0)
            break;
        struct wtl_pose_system_summary *system = &study->systems[study->system_count - 1];
        system->pmin_half_w = low->doubt.pmin_half_w;
        system->pmax_half_w = high->doubt.pmax_half_w;
    }
    free(sorted);
    free(groups);
    return rc;
}
