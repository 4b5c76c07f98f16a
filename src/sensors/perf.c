/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver "perf": energy events of the kernel's PMUs "power" and "power_core", or of any PMU named by a
 * setting. The kernel handles wraps (its counts have 64 bits) and provides the units, so no table of models
 * is needed, and one read(2) returns all events of a package at one instant: the events of one CPU form a
 * perf group. If the kernel rejects the group, each event is read separately.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/world/topology.h"
#include "sensors/perf_pmu.h"
#include "source/cpuinfo.h"
#include "source/driver.h"

#define REFRESH_NS 976563 /* for the RAPL counters below: Intel SDM vol. 3B, 15.10.3 */
#define GROUP_MAX  16
#define PARANOID   "/proc/sys/kernel/perf_event_paranoid"
#define PSYS       "energy-psys"
#define PSYS_NS    100000000 /* interval of 1 J steps (Sapphire Rapids) at 10 W */

/* Events of one CPU that are read together: channels first .. first+count-1. */
struct group {
    size_t first, count;
    int fds[GROUP_MAX]; /* [0] is the leader */
};

struct perf {
    struct group *groups;
    size_t count;
    uint64_t patience_ns; /* wait for a psys event that does not count */
};

/* An event and its location, while opening. */
struct spot {
    const struct wtl_pmu *pmu;
    const struct wtl_pmu_event *event;
    struct wtl_cpu cpu;
    int sub;     /* die or core below the package; -1 = the package itself */
    int ordinal; /* of the event among those of its PMU */
};

static void fill_channel(const struct spot *spot, struct wattle_channel *channel)
{
    static const struct {
        const char *event;
        enum wattle_domain domain;
    } events[] = {{"energy-pkg", WATTLE_DOMAIN_PACKAGE}, {"energy-cores", WATTLE_DOMAIN_CORE},
                  {"energy-core", WATTLE_DOMAIN_CORE},   {"energy-ram", WATTLE_DOMAIN_DRAM},
                  {"energy-gpu", WATTLE_DOMAIN_UNCORE},  {PSYS, WATTLE_DOMAIN_PSYS}};
    int is_joules = strcmp(spot->event->unit, "Joules") == 0;
    *channel = wtl_channel_init(WATTLE_DOMAIN_OTHER, spot->cpu.package,
                                is_joules ? WATTLE_ENERGY : WATTLE_EVENTS, WATTLE_COUNTER);
    channel->sub = spot->ordinal; /* keep several events of unknown domain distinct */
    for (size_t i = 0; is_joules && i < sizeof events / sizeof *events; i++) {
        if (strcmp(events[i].event, spot->event->name) != 0)
            continue;
        channel->domain = events[i].domain;
        channel->sub = spot->sub;
    }
    channel->scale = spot->event->scale;
    channel->refresh_ns = is_joules ? REFRESH_NS : 0;
    (void)snprintf(channel->location, sizeof channel->location, "%.31s/%.31s/ on CPU %d",
                   spot->pmu->name, spot->event->name, spot->cpu.number);
    (void)snprintf(channel->label, sizeof channel->label, "%.31s", spot->event->name);
}

/* Open the event in the group, or as the leader of a new one; returns its fd. */
static int open_event(const struct wtl_source *source, const struct spot *spot, int group_fd)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = spot->pmu->type,
                                   .config = spot->event->config[0],
                                   .config1 = spot->event->config[1],
                                   .config2 = spot->event->config[2],
                                   .read_format = PERF_FORMAT_GROUP};
    return source->world->ops->perf_event_open(source->world, &attr, -1, spot->cpu.number, group_fd,
                                               0);
}

static struct group *new_group(struct wtl_source *source)
{
    struct perf *state = source->impl;
    if (wtl_grow(&state->groups, state->count, sizeof *state->groups) < 0)
        return NULL;
    state->groups[state->count] = (struct group){.first = source->count};
    return &state->groups[state->count++];
}

/* *group_at: index of the group of this CPU, or -1 if there is none yet. */
static int add_event(struct wtl_source *source, const struct spot *spot, long *group_at)
{
    struct perf *state = source->impl;
    struct group *group = *group_at >= 0 ? &state->groups[*group_at] : NULL;
    int fd = -EINVAL;
    if (group && group->count < GROUP_MAX)
        fd = open_event(source, spot, group->fds[0]);
    if (fd < 0) {
        fd = open_event(source, spot, -1);
        if (fd < 0)
            return fd;
        group = new_group(source);
        *group_at = group ? (long)(state->count - 1) : -1;
    }
    struct wattle_channel channel;
    fill_channel(spot, &channel);
    int rc = group ? wtl_source_add(source, &channel) : -ENOMEM;
    if (rc >= 0) {
        group->fds[group->count++] = fd;
        return 0;
    }
    source->world->ops->close(source->world, fd);
    if (group && group->count == 0) {
        state->count--;
        *group_at = -1;
    }
    return rc;
}

/*
 * The kernel lists energy-psys for newer server processors without checking its register (Linux 6.x,
 * arch/x86/events/rapl.c, intel_rapl_spr_msrs: no_check). The event then stays 0 in every guest, on servers
 * whose board does not measure it, and on the second socket if the first counts for both. A zero that is not
 * a measurement must not become the total. In a guest, psys alone is not even opened: the kernel logs a
 * warning for it.
 */
static bool psys_counts(const struct wtl_source *source, const struct spot *spot, bool is_alone)
{
    const struct wtl_world *world = source->world;
    struct perf *state = source->impl;
    struct wtl_cpuinfo info;
    if (is_alone && wtl_cpuinfo_read(world, &info) == 0 && info.hypervisor)
        return false;
    int fd = open_event(source, spot, -1);
    if (fd < 0)
        return true; /* add_event() detects and reports the same */
    uint64_t start_ns = wtl_world_monotonic(world), now_ns = start_ns, changed_ns[2], last = 0;
    int changes = 0;
    while (changes < 2 && now_ns - start_ns < state->patience_ns) {
        uint64_t buffer[2];
        (void)world->ops->sleep_until(world, now_ns + REFRESH_NS);
        ssize_t got = world->ops->read(world, fd, buffer, sizeof buffer);
        now_ns = wtl_world_monotonic(world);
        if (got != (ssize_t)sizeof buffer) {
            changes = 1; /* if open fails here it fails later as well, and gives a gap */
            break;
        }
        if (buffer[1] != last)
            changed_ns[changes++] = now_ns;
        last = buffer[1];
    }
    world->ops->close(world, fd);
    /* One full step is known: other sockets, which draw less, need up to ten times as long. */
    if (changes == 2 && 10 * (changed_ns[1] - changed_ns[0]) < state->patience_ns)
        state->patience_ns = 10 * (changed_ns[1] - changed_ns[0]);
    return changes > 0;
}

/* Whether this event can be used for what its name says. Otherwise add a note. */
static bool is_sound(struct wtl_source *source,
                     const struct spot *spot,
                     const struct wtl_pmu_event *events,
                     int count)
{
    bool has_package = false;
    if (strcmp(spot->event->name, PSYS) != 0)
        return true;
    for (int i = 0; i < count; i++)
        has_package |= strcmp(events[i].name, "energy-pkg") == 0;
    if (psys_counts(source, spot, !has_package))
        return true;
    wtl_source_note(source,
                    "skipped %s/%s/ on CPU %d, which never counts: the kernel also lists it "
                    "without a sensor (virtual machines, second sockets, many boards)",
                    spot->pmu->name, PSYS, spot->cpu.number);
    return false;
}

/* A PMU without a cpumask counts on every CPU: use one per package. */
static int is_wanted(const struct wtl_pmu *pmu, const struct wtl_topology *topology, size_t at)
{
    const struct wtl_cpu *cpu = &topology->cpus[at];
    if (pmu->has_cpumask)
        return pmu->cpus[cpu->number / 8] >> (cpu->number % 8) & 1;
    return cpu->first_of_package;
}

/* Whether the PMU also counts on another CPU of the same package. If so, its parts get a number. */
static int is_shared(const struct wtl_pmu *pmu, const struct wtl_topology *topology, size_t at)
{
    for (size_t i = 0; i < topology->count; i++) {
        if (i != at && topology->cpus[i].package == topology->cpus[at].package &&
            is_wanted(pmu, topology, i))
            return 1;
    }
    return 0;
}

/* The packages of these have one counter. Of the first Zen, with four dies of their own in a package, we do not know. */
static bool has_packages_only(const struct wtl_cpuinfo *info)
{
    bool amd =
        strcmp(info->vendor, "AuthenticAMD") == 0 || strcmp(info->vendor, "HygonGenuine") == 0;
    return amd && (info->family > 23 || (info->family == 23 && info->model >= 0x10));
}

/* Kernels list a CPU for each die, and AMD's counter of a package then appears once for each of them (Linux 6.9, for example). */
static int keep_packages(const struct wtl_world *world,
                         const struct wtl_topology *topology,
                         struct wtl_pmu *pmu)
{
    struct wtl_cpuinfo info;
    int rc = wtl_cpuinfo_read(world, &info);
    if (rc < 0 || !has_packages_only(&info))
        return rc == -ENOMEM ? rc : 0;
    for (size_t at = 0; pmu->has_cpumask && at < topology->count; at++) {
        if (!is_wanted(pmu, topology, at))
            continue;
        for (size_t i = at + 1; i < topology->count; i++) {
            unsigned cpu = (unsigned)topology->cpus[i].number;
            if (topology->cpus[i].package == topology->cpus[at].package)
                pmu->cpus[cpu / 8] &= (uint8_t) ~(1u << (cpu % 8));
        }
    }
    return 0;
}

static int load_events(struct wtl_source *source,
                       const struct wtl_pmu *pmu,
                       struct wtl_pmu_event events[GROUP_MAX])
{
    const char *only = wtl_source_param(source, "event");
    char **names;
    int found = 0, count = wtl_pmu_list(source->world, pmu, &names);
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++) {
        if (only[0] && strcmp(only, names[i]) != 0)
            continue;
        if (found == GROUP_MAX) {
            wtl_source_note(source,
                            "%s has more than %d events, the others were skipped; choose one with "
                            "the setting event",
                            pmu->name, GROUP_MAX);
            break;
        }
        int rc = wtl_pmu_event(source->world, pmu, names[i], &events[found]);
        if (rc < 0)
            wtl_source_note(source, "event %s/%s/ is not understood", pmu->name, names[i]);
        else
            found++;
    }
    free(names);
    return found;
}

/* Open all events of a PMU on all its CPUs. The first open failure is stored in *failure. */
static int open_pmu(struct wtl_source *source,
                    const struct wtl_topology *topology,
                    const char *name,
                    int *failure)
{
    struct wtl_pmu_event events[GROUP_MAX];
    struct wtl_pmu pmu;
    int rc = wtl_pmu_load(source->world, name, &pmu);
    if (rc < 0)
        return rc;
    int per_core = strcmp(name, "power_core") == 0;
    rc = strcmp(name, "power") == 0 ? keep_packages(source->world, topology, &pmu) : 0;
    int count = rc < 0 ? rc : load_events(source, &pmu, events);
    if (count < 0)
        return count;
    for (size_t at = 0; at < topology->count; at++) {
        if (!is_wanted(&pmu, topology, at))
            continue;
        const struct wtl_cpu *cpu = &topology->cpus[at];
        long group_at = -1;
        int shared = is_shared(&pmu, topology, at);
        for (int i = 0; i < count; i++) {
            struct spot spot = {.pmu = &pmu, .event = &events[i], .cpu = *cpu, .ordinal = i};
            spot.sub = per_core ? cpu->core : shared ? cpu->die : -1;
            if (!is_sound(source, &spot, events, count))
                continue;
            rc = add_event(source, &spot, &group_at);
            if (rc == -ENOMEM)
                return rc;
            if (rc < 0 && *failure == 0)
                *failure = rc;
        }
    }
    return 0;
}

static int fail_forbidden(struct wtl_source *source, struct wattle_error *err)
{
    char level[16];
    if (wtl_world_text(source->world, PARANOID, level, sizeof level) < 0)
        (void)snprintf(level, sizeof level, "unknown");
    wtl_source_remedy(source, "echo 'kernel.perf_event_paranoid = 0' >/etc/sysctl.d/90-perf.conf",
                      "sysctl kernel.perf_event_paranoid=0");
    return wtl_fail(err, -EACCES,
                    "perf: energy events are forbidden: kernel.perf_event_paranoid is %s and must "
                    "be 0 or less; as root run: sysctl kernel.perf_event_paranoid=0, or to allow "
                    "only wattle: setcap cap_perfmon+ep \"$(command -v wattle)\"",
                    level);
}

/* Open each PMU of the list in turn ("power+power_core"); missing ones are skipped. */
static int open_list(struct wtl_source *source,
                     const struct wtl_topology *topology,
                     const char *list,
                     int *failure)
{
    int rc = -ENODEV;
    for (const char *p = list; *p;) {
        char name[32];
        size_t n = strcspn(p, "+");
        if (n > 0 && n < sizeof name) {
            memcpy(name, p, n);
            name[n] = '\0';
            int one = open_pmu(source, topology, name, failure);
            if (one == -ENOMEM)
                return one;
            rc = one == 0 ? 0 : rc;
        }
        p += n + (p[n] == '+');
    }
    return rc;
}

static int perf_open(struct wtl_source *source, struct wattle_error *err)
{
    const char *list = wtl_source_param(source, "pmu");
    struct wtl_topology topology;
    int failure = 0;
    struct perf *state = calloc(1, sizeof *state);
    source->impl = state;
    if (!state)
        return -ENOMEM;
    state->patience_ns = PSYS_NS;
    int rc = wtl_topology_load(source->world, &topology);
    if (rc == -ENOMEM)
        return rc;
    if (rc == 0) {
        rc = open_list(source, &topology, list, &failure);
        wtl_topology_fini(&topology);
    }
    if (source->count > 0 && failure < 0)
        wtl_source_note(source, "the kernel refuses some events of %s: %s", list,
                        wtl_strerror(failure));
    if (rc == -ENOMEM || source->count > 0)
        return rc == -ENOMEM ? rc : 0;
    if (failure == 0 && source->note_count > 0)
        return 0; /* the notes give the reasons */
    if (failure == -EACCES || failure == -EPERM)
        return fail_forbidden(source, err);
    if (failure < 0)
        return wtl_fail(err, failure, "perf: the kernel refuses the events of %s: %s", list,
                        wtl_strerror(failure));
    wtl_source_remedy(source, "echo rapl >/etc/modules-load.d/rapl.conf", "modprobe rapl");
    return wtl_fail(err, -ENODEV,
                    "perf: no PMU %s with events; energy events require a physical x86 machine "
                    "with RAPL; on one, try: modprobe rapl",
                    list);
}

/* One read(2) for the group; its values, or one error for all of them. */
static int read_group(const struct wtl_source *source, const struct group *group, uint64_t *values)
{
    const struct wtl_world *world = source->world;
    uint64_t buffer[1 + GROUP_MAX];
    size_t want = (1 + group->count) * sizeof *buffer;
    ssize_t got = world->ops->read(world, group->fds[0], buffer, sizeof buffer);
    if (got < 0)
        return (int)got;
    if (got == 0)
        return -ENODEV; /* the event is in error state: its CPU went offline */
    if ((size_t)got < want || buffer[0] != group->count)
        return -EIO;
    memcpy(values, buffer + 1, group->count * sizeof *values);
    return 0;
}

static void perf_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    const struct perf *state = source->impl;
    for (size_t g = 0; g < state->count; g++) {
        const struct group *group = &state->groups[g];
        uint64_t values[GROUP_MAX] = {0};
        if (group->first + group->count <= first || group->first >= first + n)
            continue;
        int rc = read_group(source, group, values);
        for (size_t i = 0; i < group->count; i++) {
            size_t channel = group->first + i;
            if (channel < first || channel >= first + n)
                continue;
            out[channel - first] = (struct wattle_reading){.raw = values[i], .status = rc};
        }
    }
}

static void perf_close(struct wtl_source *source)
{
    struct perf *state = source->impl;
    for (size_t g = 0; state && g < state->count; g++) {
        for (size_t i = state->groups[g].count; i-- > 0;)
            source->world->ops->close(source->world, state->groups[g].fds[i]);
    }
    if (state)
        free(state->groups);
    free(state);
    source->impl = NULL;
}

static const struct wtl_param perf_params[] = {
    {"pmu", "power+power_core", "PMUs to open, joined by '+', as in /sys/bus/event_source/devices"},
    {"event", "", "event to open; empty = all events of the PMU"},
    {NULL, NULL, NULL},
};

extern const struct wtl_driver wtl_driver_perf;
const struct wtl_driver wtl_driver_perf = {
    .name = "perf",
    .summary = "kernel energy events (perf PMUs power and power_core)",
    .params = perf_params,
    .open = perf_open,
    .read = perf_read,
    .close = perf_close,
};
