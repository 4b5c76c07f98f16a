/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discovery of knobs: see knob.h. A file that is absent is a knob that the machine does not have: intel_pstate
 * has no setspeed and no list of frequencies, amd_pstate a boost per policy, acpi-cpufreq no preference.
 * Files exist for offline CPUs too: a policy without online CPUs is left out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/parse.h"
#include "control/knob.h"
#include "model/zone.h"

#define CPU_ROOT "/sys/devices/system/cpu"
enum { CONSTRAINTS_MAX = 8 };

struct search {
    const struct wtl_world *world;
    struct wtl_knob_list *list;
    struct wtl_topology topology;
};

/* A control character would break the journal; no setting of the kernel has one. */
static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    }
    return true;
}

static int read_text(const struct wtl_world *world,
                     const char *folder,
                     const char *file,
                     char *text,
                     size_t n)
{
    char path[WTL_KNOB_PATH];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path)
        return -ENAMETOOLONG;
    ssize_t got = wtl_world_text(world, path, text, n);
    if (got >= 0 && !is_plain(text))
        got = -EBADMSG;
    if (got < 0)
        text[0] = '\0';
    return got < 0 ? (int)got : 0;
}

static double read_number(const struct wtl_world *world, const char *folder, const char *file)
{
    char text[WTL_KNOB_TEXT];
    return read_text(world, folder, file, text, sizeof text) < 0 ? NAN : wtl_knob_number(text);
}

static int add_set(struct search *s, const struct wtl_cpu_set *set, size_t *ret_at)
{
    struct wtl_knob_list *list = s->list;
    if (wtl_grow(&list->sets, list->set_count, sizeof *list->sets) < 0)
        return -ENOMEM;
    *ret_at = list->set_count;
    list->sets[list->set_count++] = *set;
    return 0;
}

/* Add the knob if its file exists. *ret_knob: NULL = it does not; valid until the next one is added. */
static int add(struct search *s,
               enum wtl_knob_kind kind,
               const char *folder,
               const char *prefix,
               const char *where,
               struct wtl_knob **ret_knob)
{
    const struct wtl_knob_row *row = &wtl_knob_rows[kind];
    struct wtl_knob_list *list = s->list;
    struct wtl_knob knob = {.row = row, .least = NAN, .most = NAN};
    *ret_knob = NULL;
    if ((size_t)snprintf(knob.path, sizeof knob.path, "%s/%s%s", folder, prefix, row->file) >=
            sizeof knob.path ||
        (size_t)snprintf(knob.id, sizeof knob.id, where[0] ? "%s:%s" : "%s", row->name, where) >=
            sizeof knob.id ||
        !s->world->ops->exists(s->world, knob.path))
        return 0;
    ssize_t got = wtl_world_text(s->world, knob.path, knob.value, sizeof knob.value);
    knob.read_error = got < 0 ? (int)got : is_plain(knob.value) ? 0 : -EBADMSG;
    if (knob.read_error < 0)
        knob.value[0] = '\0';
    knob.write_error = wtl_world_may_put(s->world, knob.path);
    if (knob.write_error == -EACCES && s->world->ops->geteuid(s->world) == 0)
        knob.write_error = -ENOTSUP;
    if (wtl_grow(&list->items, list->count, sizeof *list->items) < 0)
        return -ENOMEM;
    list->items[list->count] = knob;
    *ret_knob = &list->items[list->count++];
    return 0;
}

static void add_choices(struct search *s,
                        struct wtl_knob *knob,
                        const char *folder,
                        const char *file)
{
    char more[WTL_KNOB_CHOICES];
    size_t used = strlen(knob->choices);
    if (read_text(s->world, folder, file, more, sizeof more) == 0 && more[0])
        (void)snprintf(knob->choices + used, sizeof knob->choices - used, "%s%s",
                       used > 0 ? " " : "", more);
}

static void add_range(struct search *s, struct wtl_knob *knob, const char *folder)
{
    knob->least = read_number(s->world, folder, "cpuinfo_min_freq");
    knob->most = read_number(s->world, folder, "cpuinfo_max_freq");
    add_choices(s, knob, folder, "scaling_available_frequencies");
    if (knob->choices[0])
        add_choices(s, knob, folder, "scaling_boost_frequencies");
}

static void describe_policy_knob(struct search *s, struct wtl_knob *knob, const char *folder)
{
    switch (knob->row->kind) {
    case WTL_KNOB_GOVERNOR:
        add_choices(s, knob, folder, "scaling_available_governors");
        break;
    case WTL_KNOB_EPP:
        add_choices(s, knob, folder, "energy_performance_available_preferences");
        break;
    case WTL_KNOB_FREQUENCY_MIN:
    case WTL_KNOB_FREQUENCY_MAX:
    case WTL_KNOB_FREQUENCY:
        add_range(s, knob, folder);
        break;
    default:
        (void)snprintf(knob->choices, sizeof knob->choices, "0 1");
        break;
    }
}

/* The online CPUs of a policy; the kernel separates them by blanks. */
static bool read_cpus(struct search *s, const char *folder, struct wtl_cpu_set *ret_set)
{
    char *text = NULL, path[WTL_KNOB_PATH];
    *ret_set = (struct wtl_cpu_set){{0}};
    (void)snprintf(path, sizeof path, "%.160s/affected_cpus", folder);
    if (wtl_world_slurp(s->world, path, &text) < 0)
        return false;
    size_t n = strcspn(text, "\n");
    text[n] = '\0';
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? ',' : *c;
    bool any = wtl_parse_cpulist(text, ret_set->bits, WTL_CPUS_MAX) > 0;
    free(text);
    return any;
}

static int add_policy(struct search *s,
                      const char *folder,
                      int number,
                      const struct wtl_cpu_set *cpus)
{
    char where[32];
    size_t set;
    struct wtl_knob *knob;
    int rc = add_set(s, cpus, &set);
    (void)snprintf(where, sizeof where, "policy%d", number);
    for (unsigned kind = WTL_KNOB_TURBO_CPU; rc == 0 && kind <= WTL_KNOB_EPP; kind++) {
        rc = add(s, kind, folder, "", where, &knob);
        if (rc < 0 || !knob)
            continue;
        describe_policy_knob(s, knob, folder);
        knob->place = number;
        knob->cpus = set;
    }
    if (!s->list->driver[0])
        (void)read_text(s->world, folder, "scaling_driver", s->list->driver,
                        sizeof s->list->driver);
    return rc;
}

static bool policy_number(const char *name, uint64_t *ret_number)
{
    static const char prefix[] = "policy";
    size_t n = sizeof prefix - 1;
    return strncmp(name, prefix, n) == 0 && wtl_parse_u64(name + n, ret_number) == 0 &&
           *ret_number < WTL_CPUS_MAX;
}

static int find_policies(struct search *s)
{
    char **names = NULL, folder[128];
    struct wtl_cpu_set cpus;
    uint64_t number;
    int count = s->world->ops->list(s->world, CPU_ROOT "/cpufreq", &names), rc = 0, found = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        if (!policy_number(names[i], &number))
            continue;
        found++;
        (void)snprintf(folder, sizeof folder, CPU_ROOT "/cpufreq/policy%d", (int)number);
        if (read_cpus(s, folder, &cpus))
            rc = add_policy(s, folder, (int)number, &cpus);
    }
    if (count >= 0)
        free(names);
    return rc < 0 ? rc : count == -ENOMEM ? count : found;
}

/* Kernels before 4.3, and recorded hosts, have only the folders of the CPUs. */
static int find_cpus(struct search *s)
{
    struct wtl_cpu_set done = {{0}}, cpus;
    char folder[128];
    int rc = 0;
    for (size_t i = 0; i < s->topology.count && rc == 0; i++) {
        int cpu = s->topology.cpus[i].number;
        (void)snprintf(folder, sizeof folder, CPU_ROOT "/cpu%d/cpufreq", cpu);
        if (wtl_cpu_set_has(&done, cpu) || !s->world->ops->exists(s->world, folder))
            continue;
        if (!read_cpus(s, folder, &cpus))
            cpus.bits[cpu / 8] |= (uint8_t)(1u << (cpu % 8));
        for (size_t k = 0; k < sizeof done.bits; k++)
            done.bits[k] |= cpus.bits[k];
        rc = add_policy(s, folder, cpu, &cpus);
    }
    return rc;
}

static int find_turbo(struct search *s)
{
    struct wtl_knob *knob;
    for (unsigned kind = WTL_KNOB_TURBO_OFF; kind <= WTL_KNOB_TURBO_ON; kind++) {
        int rc = add(s, kind, CPU_ROOT, "", "", &knob);
        if (rc < 0)
            return rc;
        if (!knob)
            continue;
        (void)snprintf(knob->choices, sizeof knob->choices, "0 1");
        break;
    }
    return 0;
}

/* The CPUs of a package, as a set that is there once. */
static int package_set(struct search *s, int package, size_t *ret_at)
{
    struct wtl_cpu_set cpus = {{0}};
    for (size_t i = 0; i < s->topology.count; i++) {
        int cpu = s->topology.cpus[i].number;
        if (s->topology.cpus[i].package == package)
            cpus.bits[cpu / 8] |= (uint8_t)(1u << (cpu % 8));
    }
    for (size_t i = 0; i < s->list->set_count; i++) {
        if (memcmp(&s->list->sets[i], &cpus, sizeof cpus) == 0) {
            *ret_at = i;
            return 0;
        }
    }
    return add_set(s, &cpus, ret_at);
}

/* package_00_die_00 */
static bool uncore_package(const char *name, int *ret_package)
{
    static const char prefix[] = "package_";
    uint64_t number;
    size_t n = sizeof prefix - 1;
    if (strncmp(name, prefix, n) != 0 || wtl_scan_u64(name + n, strlen(name + n), &number) < 0 ||
        number > INT16_MAX)
        return false;
    *ret_package = (int)number;
    return true;
}

static int add_uncore(struct search *s, const char *name, int package)
{
    char folder[128];
    struct wtl_knob *knob;
    size_t set;
    int rc = package_set(s, package, &set);
    (void)snprintf(folder, sizeof folder, CPU_ROOT "/intel_uncore_frequency/%.40s", name);
    for (unsigned kind = WTL_KNOB_UNCORE_MIN; rc == 0 && kind <= WTL_KNOB_UNCORE_MAX; kind++) {
        rc = add(s, kind, folder, "", name, &knob);
        if (rc < 0 || !knob)
            continue;
        knob->place = package;
        knob->cpus = set;
        knob->least = read_number(s->world, folder, "initial_min_freq_khz");
        knob->most = read_number(s->world, folder, "initial_max_freq_khz");
    }
    return rc;
}

static int find_uncore(struct search *s)
{
    char **names = NULL;
    int package, count = s->world->ops->list(s->world, CPU_ROOT "/intel_uncore_frequency", &names),
                 rc = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        if (uncore_package(names[i], &package))
            rc = add_uncore(s, names[i], package);
    }
    if (count >= 0)
        free(names);
    return count == -ENOMEM ? count : rc;
}

/* Zones below a package (core, dram), and of the whole machine (psys), have limits, too. */
static int add_constraint(struct search *s,
                          const struct wtl_zone *zone,
                          const char *folder,
                          int number)
{
    char prefix[32], file[48], name[24], where[WTL_KNOB_TEXT];
    struct wtl_knob *knob;
    size_t set = 0;
    (void)snprintf(prefix, sizeof prefix, "constraint_%d_", number);
    (void)snprintf(file, sizeof file, "%sname", prefix);
    if (read_text(s->world, folder, file, name, sizeof name) < 0)
        return -ENOENT;
    (void)snprintf(where, sizeof where, "%.28s/%.16s", zone->folder, name);
    int rc = zone->domain == WATTLE_DOMAIN_PSYS ? 0 : package_set(s, zone->index, &set);
    for (unsigned kind = WTL_KNOB_WINDOW; rc == 0 && kind <= WTL_KNOB_LIMIT; kind++) {
        rc = add(s, kind, folder, prefix, where, &knob);
        if (rc < 0 || !knob)
            continue;
        knob->place = zone->index;
        knob->cpus = set;
        knob->of_package = zone->domain == WATTLE_DOMAIN_PACKAGE;
        if (kind == WTL_KNOB_LIMIT) {
            (void)snprintf(file, sizeof file, "%smax_power_uw", prefix);
            knob->most = read_number(s->world, folder, file);
            knob->most = knob->most > 0 ? knob->most : NAN;
        }
    }
    return rc;
}

/* Whether the limits of a zone are in force, if it has any. */
static int add_switch(struct search *s, const struct wtl_zone *zone, const char *folder)
{
    struct wtl_knob *knob;
    size_t set = s->list->items[s->list->count - 1].cpus;
    int rc = add(s, WTL_KNOB_ENABLED, folder, "", zone->folder, &knob);
    if (rc < 0 || !knob)
        return rc;
    (void)snprintf(knob->choices, sizeof knob->choices, "0 1");
    knob->place = zone->index;
    knob->cpus = set;
    return 0;
}

static int add_limits(struct search *s, const struct wtl_zone *zone, const char *folder)
{
    size_t before = s->list->count;
    int rc = 0;
    for (int n = 0; n < CONSTRAINTS_MAX && rc == 0; n++)
        rc = add_constraint(s, zone, folder, n);
    rc = rc == -ENOENT ? 0 : rc;
    return rc == 0 && s->list->count > before ? add_switch(s, zone, folder) : rc;
}

static int find_limits(struct search *s)
{
    char **names = NULL, folder[128];
    int count = s->world->ops->list(s->world, WTL_ZONES, &names), rc = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        struct wtl_zone zone;
        if (!wtl_zone_is(names[i]) || wtl_zone_identify(s->world, names[i], &zone, NULL) < 0)
            continue;
        (void)snprintf(folder, sizeof folder, WTL_ZONES "/%.60s", names[i]);
        rc = add_limits(s, &zone, folder);
    }
    if (count >= 0)
        free(names);
    return count == -ENOMEM ? count : rc;
}

static int find_all(struct search *s)
{
    struct wtl_cpu_set online = {{0}};
    size_t first;
    int rc = wtl_topology_load(s->world, &s->topology);
    for (size_t i = 0; rc == 0 && i < s->topology.count; i++)
        online.bits[s->topology.cpus[i].number / 8] |=
            (uint8_t)(1u << (s->topology.cpus[i].number % 8));
    if (rc == -ENOMEM || (rc = add_set(s, &online, &first)) < 0)
        return rc;
    rc = find_turbo(s);
    rc = rc < 0 ? rc : find_policies(s);
    if (rc == 0)
        rc = find_cpus(s);
    rc = rc < 0 ? rc : find_uncore(s);
    rc = rc < 0 ? rc : find_limits(s);
    static const char *const drivers[] = {"intel_pstate", "amd_pstate"};
    for (size_t i = 0; i < 2 && !s->list->mode[0]; i++) {
        char folder[64];
        (void)snprintf(folder, sizeof folder, CPU_ROOT "/%s", drivers[i]);
        (void)read_text(s->world, folder, "status", s->list->mode, sizeof s->list->mode);
    }
    return rc;
}

int wtl_knob_list_discover(const struct wtl_world *world, struct wtl_knob_list *ret_knobs)
{
    *ret_knobs = (struct wtl_knob_list){.items = NULL};
    struct search s = {.world = world, .list = ret_knobs};
    int rc = find_all(&s);
    wtl_topology_fini(&s.topology);
    return rc;
}

void wtl_knob_list_fini(struct wtl_knob_list *knobs)
{
    free(knobs->items);
    free(knobs->sets);
    *knobs = (struct wtl_knob_list){.items = NULL};
}
