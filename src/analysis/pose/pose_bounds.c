/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses Pmin and Pmax among the measured loads: see pose_bounds.h. */
#include "analysis/pose/pose_bounds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "base/parse.h"

const char *const wtl_pose_floor_names[] = {"auto",         "omp_serial", "omp_parallel",
                                            "mpi_parallel", "mpi_serial", NULL};
const char *const wtl_pose_ceiling_names[] = {"fma", "stress_ng", "firestarter", "command", NULL};

enum { NAMES = 4 };

/* The sections that are added up; the first one is named in messages. */
struct parts {
    const struct wtl_calibration_section *const *sections;
    size_t count;
};

/* A number from the section: 0; -ENOENT if missing; -EBADMSG if it is not a number, or below
 * `least`. */
static int number(const struct wtl_calibration_section *section,
                  const char *key,
                  double least,
                  double *ret,
                  struct wattle_error *err)
{
    const char *text = wtl_calibration_get(section, key);
    double value;
    if (!text)
        return -ENOENT;
    if (wtl_parse_double(text, &value) < 0 || !(value >= least))
        return wtl_fail(
            err, -EBADMSG,
            "calibration of %s (%s): %s = %.40s is not a power in watts; calibrate again",
            section->host, section->item, key, text);
    *ret = value;
    return 0;
}

static bool says(const struct wtl_calibration_section *section, const char *key, const char *word)
{
    const char *text = wtl_calibration_get(section, key);
    return text && strcmp(text, word) == 0;
}

/* The possible error of an estimate: NaN if the section does not give it, or the value is not an
 * estimate. */
static int read_model_error(const struct wtl_calibration_section *section,
                            const char *name,
                            double power_w,
                            double *ret_half_w,
                            struct wattle_error *err)
{
    char key[64];
    double low_w = (double)NAN, high_w = (double)NAN;
    *ret_half_w = (double)NAN;
    if (!says(section, "quality", wattle_quality_name(WATTLE_ESTIMATED)))
        return 0;
    (void)snprintf(key, sizeof key, "%s_low_w", name);
    int rc = number(section, key, 0, &low_w, err);
    (void)snprintf(key, sizeof key, "%s_high_w", name);
    rc = rc < 0 && rc != -ENOENT ? rc : number(section, key, 0, &high_w, err);
    if (rc == 0 || rc == -ENOENT)
        *ret_half_w = fmax(fabs(power_w - low_w), fabs(high_w - power_w));
    return rc == -ENOENT ? 0 : rc;
}

/* One load; -ENOENT if it was not measured. The variation of its runs and the error of an
 * estimate's model are independent. */
static int read_part(const struct wtl_calibration_section *section,
                     const char *name,
                     struct wtl_pose_bound *bound,
                     struct wattle_error *err)
{
    char key[64];
    (void)snprintf(key, sizeof key, "%s_w", name);
    int rc = number(section, key, 0, &bound->power_w, err);
    if (rc < 0)
        return rc;
    (void)snprintf(key, sizeof key, "%s_half_w", name);
    bound->half_w = (double)NAN;
    rc = number(section, key, 0, &bound->half_w, err);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    double model_w;
    rc = read_model_error(section, name, bound->power_w, &model_w, err);
    if (rc == 0 && !isnan(model_w))
        bound->half_w = isnan(bound->half_w) ? model_w : hypot(bound->half_w, model_w);
    return rc;
}

/* The same, summed over all parts. */
static int read_bound(const struct parts *parts,
                      const char *name,
                      struct wtl_pose_bound *ret_bound,
                      struct wattle_error *err)
{
    struct wtl_pose_bound sum = {.power_w = 0};
    (void)snprintf(sum.name, sizeof sum.name, "%s", name);
    for (size_t i = 0; i < parts->count; i++) {
        struct wtl_pose_bound part = {.power_w = 0};
        int rc = read_part(parts->sections[i], name, &part, err);
        if (rc < 0)
            return rc;
        sum.power_w += part.power_w;
        sum.half_w += part.half_w;
    }
    *ret_bound = sum;
    return 0;
}

/* The lowest or the highest of the measured loads. */
static int choose(const struct parts *parts,
                  const char *const *names,
                  bool highest,
                  struct wtl_pose_bound *ret_bound,
                  struct wattle_error *err)
{
    bool found = false;
    for (; *names; names++) {
        struct wtl_pose_bound bound;
        int rc = read_bound(parts, *names, &bound, err);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return rc;
        if (!found || (bound.power_w > ret_bound->power_w) == highest)
            *ret_bound = bound;
        found = true;
    }
    return found ? 0 : -ENOENT;
}

/* The measured floors, as text. */
static void list_floors(const struct parts *parts, char *buf, size_t n)
{
    size_t used = 0;
    (void)snprintf(buf, n, "none");
    for (const char *const *name = wtl_pose_floor_names + 1; *name && used < n; name++) {
        struct wtl_pose_bound bound;
        if (read_bound(parts, *name, &bound, NULL) == 0)
            used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? ", " : "", *name);
    }
}

static int read_floor(const struct parts *parts,
                      const char *name,
                      struct wtl_pose_bound *ret_bound,
                      struct wattle_error *err)
{
    static const char *const system[] = {"omp_parallel", "mpi_parallel", NULL};
    char there[128];
    size_t i = 0;
    while (name && wtl_pose_floor_names[i] && strcmp(wtl_pose_floor_names[i], name) != 0)
        i++;
    if (!wtl_pose_floor_names[i]) {
        const char *near = wtl_nearest(name, wtl_pose_floor_names, NAMES + 1);
        return wtl_fail(err, -EINVAL,
                        "no micro-benchmark \"%.60s\" for Pmin%s%s%s: use auto, omp_serial, "
                        "omp_parallel, mpi_parallel or mpi_serial",
                        name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    int rc = i == 0 ? choose(parts, system, false, ret_bound, err)
                    : read_bound(parts, name, ret_bound, err);
    if (rc != -ENOENT)
        return rc;
    list_floors(parts, there, sizeof there);
    return wtl_fail(err, rc,
                    "the calibration of %s (%s) has no %s for Pmin; it has: %s. Choose one of "
                    "these, calibrate again, or set Pmin",
                    parts->sections[0]->host, parts->sections[0]->item,
                    i == 0 ? "omp_parallel and no mpi_parallel" : name, there);
}

static int read_quality(const struct wtl_calibration_section *section,
                        enum wattle_quality *ret_quality,
                        struct wattle_error *err)
{
    const char *text = wtl_calibration_get(section, "quality");
    *ret_quality = WATTLE_DERIVED;
    for (int i = 0; text && i < WATTLE_QUALITY_COUNT; i++) {
        *ret_quality = (enum wattle_quality)i;
        if (strcmp(text, wattle_quality_name(*ret_quality)) == 0)
            return 0;
    }
    return text ? wtl_fail(err, -EBADMSG,
                           "calibration of %s (%s): quality = %.40s is not measured, derived or "
                           "estimated",
                           section->host, section->item, text)
                : 0;
}

static bool has_settled(const struct wtl_calibration_section *section, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "%s_settled", name);
    return !says(section, key, "no");
}

static void read_conditions(const struct wtl_calibration_section *section,
                            struct wtl_pose_bounds *bounds)
{
    const struct {
        const char *key;
        char *to;
        size_t n;
    } texts[] = {{"cpu", bounds->cpu, sizeof bounds->cpu},
                 {"governor", bounds->governor, sizeof bounds->governor},
                 {"epp", bounds->epp, sizeof bounds->epp},
                 {"turbo", bounds->turbo, sizeof bounds->turbo},
                 {"min_khz", bounds->min_khz, sizeof bounds->min_khz},
                 {"max_khz", bounds->max_khz, sizeof bounds->max_khz}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = wtl_calibration_get(section, texts[i].key);
        (void)snprintf(texts[i].to, texts[i].n, "%s", value ? value : "");
    }
    bounds->busy_cpus = wtl_calibration_number(section, "busy_cpus");
}

bool wtl_pose_bounds_differ(const struct wtl_pose_bounds *bounds,
                            const struct wtl_result *run,
                            char *buf,
                            size_t n)
{
    char low[24] = "", high[24] = "";
    if (run->min_khz)
        (void)snprintf(low, sizeof low, "%llu", (unsigned long long)run->min_khz);
    if (run->max_khz)
        (void)snprintf(high, sizeof high, "%llu", (unsigned long long)run->max_khz);
    const struct {
        const char *what, *calibrated, *ran;
    } pairs[] = {{"processor", bounds->cpu, run->cpu},
                 {"governor", bounds->governor, run->governor},
                 {"energy preference", bounds->epp, run->epp},
                 {"turbo", bounds->turbo,
                  run->turbo < 0 ? ""
                  : run->turbo   ? "yes"
                                 : "no"},
                 {"lowest frequency [kHz]", bounds->min_khz, low},
                 {"highest frequency [kHz]", bounds->max_khz, high}};
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && used < n; i++) {
        const char *a = pairs[i].calibrated, *b = pairs[i].ran;
        if (!a[0] || !b || !b[0] || strcmp(a, b) == 0)
            continue;
        used += (size_t)snprintf(buf + used, n - used, "%s%s %.40s instead of %.40s",
                                 used ? ", " : "", pairs[i].what, b, a);
    }
    return used > 0;
}

/* Non-numeric facts: for a sum the weakest, and the union of what the parts say. */
static int read_facts(const struct parts *parts,
                      struct wtl_pose_bounds *bounds,
                      struct wattle_error *err)
{
    int rc = 0;
    bounds->settled = true;
    for (size_t i = 0; rc == 0 && i < parts->count; i++) {
        const struct wtl_calibration_section *section = parts->sections[i];
        enum wattle_quality quality = WATTLE_MEASURED;
        rc = read_quality(section, &quality, err);
        if (quality > bounds->quality)
            bounds->quality = quality;
        bounds->simulated |= says(section, "simulated", "yes");
        bounds->settled &=
            has_settled(section, bounds->pmin.name) && has_settled(section, bounds->pmax.name);
    }
    read_conditions(parts->sections[0], bounds);
    const char *contains = wtl_calibration_get(parts->sections[0], "contains");
    if (parts->count == 1 && contains)
        (void)snprintf(bounds->contains, sizeof bounds->contains, "%s", contains);
    return rc;
}

int wtl_pose_bounds_of_sum(const struct wtl_calibration_section *const *sections,
                           size_t count,
                           unsigned wanted,
                           const char *pmin_name,
                           struct wtl_pose_bounds *ret_bounds,
                           struct wattle_error *err)
{
    const struct parts parts = {sections, count};
    const struct wtl_pose_bound none = {.power_w = (double)NAN, .half_w = (double)NAN};
    struct wtl_pose_bounds bounds = {.pmin = none, .pmax = none, .quality = WATTLE_MEASURED};
    int rc = wanted & WTL_POSE_WANT_PMIN ? read_floor(&parts, pmin_name, &bounds.pmin, err) : 0;
    if (rc < 0)
        return rc;
    if (wanted & WTL_POSE_WANT_PMAX)
        rc = choose(&parts, wtl_pose_ceiling_names, true, &bounds.pmax, err);
    if (rc == -ENOENT)
        return wtl_fail(err, rc,
                        "the calibration of %s (%s) has no load for Pmax (fma, stress_ng, "
                        "firestarter, command); calibrate again, or set Pmax",
                        sections[0]->host, sections[0]->item);
    rc = rc < 0 ? rc : read_facts(&parts, &bounds, err);
    if (rc < 0)
        return rc;
    if (bounds.pmin.power_w >= bounds.pmax.power_w)
        return wtl_fail(err, -EBADMSG,
                        "the calibration of %s (%s) has no valid bounds: Pmin of %s, %.6g W, is "
                        "not below Pmax of %s, %.6g W; calibrate again on an idle machine",
                        sections[0]->host, sections[0]->item, bounds.pmin.name, bounds.pmin.power_w,
                        bounds.pmax.name, bounds.pmax.power_w);
    *ret_bounds = bounds;
    return 0;
}

int wtl_pose_bounds_of(const struct wtl_calibration_section *section,
                       const char *pmin_name,
                       struct wtl_pose_bounds *ret_bounds,
                       struct wattle_error *err)
{
    return wtl_pose_bounds_of_sum(&section, 1, WTL_POSE_WANT_BOTH, pmin_name, ret_bounds, err);
}
