/* SPDX-License-Identifier: BSD-3-Clause */
/* One group of perf events: opening, reading, scaling. See perf_unit.h. */
#include "counters/columns/perf_unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* Open one event of a unit on PMU `variant`. */
static int open_event(struct wtl_perf_events *events,
                      const struct wtl_perf_unit *unit,
                      size_t variant,
                      size_t i,
                      int place)
{
    const struct wtl_perf_event *event = &events->list[unit->members[i]];
    struct wtl_perf_code code = event->code;
    bool of_thread = wtl_perf_is_of_threads(events->scope);
    if (wtl_core_pmus_split(&events->pmus, &code))
        code = wtl_core_pmus_code(&events->pmus, variant, &code);
    struct perf_event_attr attr = {
        .type = code.type,
        .size = sizeof attr,
        .config = code.config,
        .config1 = code.config1,
        .config2 = code.config2,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                       (unit->count > 1 ? PERF_FORMAT_GROUP : 0u),
        .inherit = events->scope == WTL_COUNTED_TREE,
        .exclude_kernel = event->user_only,
        .exclude_hv = event->user_only,
    };
    int leader = i > 0 ? unit->fds[variant][0] : -1;
    pid_t pid = of_thread ? place : events->cgroup_fd;
    return events->world->ops->perf_event_open(events->world, &attr, pid, of_thread ? -1 : place,
                                               leader,
                                               events->cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0);
}

void wtl_perf_unit_close(const struct wtl_world *world, struct wtl_perf_unit *unit)
{
    for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
        for (size_t i = unit->count; i-- > 0;) {
            if (unit->fds[v][i] >= 0)
                world->ops->close(world, unit->fds[v][i]);
            unit->fds[v][i] = -1;
        }
    }
}

/* The PMUs on which a group is opened here: all of them for a thread, on a CPU its own. */
static bool is_wanted(const struct wtl_perf_events *events,
                      const struct wtl_perf_unit *unit,
                      size_t pmu,
                      int place)
{
    const struct wtl_perf_code *code = &events->list[unit->members[0]].code;
    if (wtl_perf_is_of_threads(events->scope))
        return true;
    struct wtl_perf_code own = wtl_core_pmus_split(&events->pmus, code)
                                   ? wtl_core_pmus_code(&events->pmus, pmu, code)
                                   : *code;
    return wtl_core_pmus_has(&events->pmus, &own, place);
}

int wtl_perf_unit_open(struct wtl_perf_events *events,
                       struct wtl_perf_unit *unit,
                       int place,
                       size_t *ret_failed)
{
    bool split = wtl_core_pmus_split(&events->pmus, &events->list[unit->members[0]].code);
    size_t pmus = split ? events->pmus.count : 1;
    unit->started = false;
    unit->place = place;
    memset(unit->fds, 0xff, sizeof unit->fds); /* -1 */
    for (size_t pmu = 0; pmu < pmus; pmu++) {
        for (size_t i = 0; i < unit->count && is_wanted(events, unit, pmu, place); i++) {
            int fd = open_event(events, unit, pmu, i, place);
            unit->fds[pmu][i] = fd < 0 ? -1 : fd;
            if (fd >= 0)
                continue;
            if (ret_failed)
                *ret_failed = unit->members[i];
            wtl_perf_unit_close(events->world, unit);
            return fd;
        }
    }
    return 0;
}

/* What one call of a group returned. */
struct reading {
    uint64_t enabled_ns, running_ns, counts[WTL_PERF_GROUP];
};

/* Layouts of perf_event_open(2), "Reading results". 0 or -errno; -ENODATA: the kernel has given up the event. */
static int read_variant(const struct wtl_world *world,
                        const struct wtl_perf_unit *unit,
                        size_t v,
                        struct reading *ret)
{
    uint64_t words[3 + WTL_PERF_GROUP];
    bool grouped = unit->count > 1;
    size_t wanted = 3 + (grouped ? unit->count : 0);
    ssize_t n = world->ops->read(world, unit->fds[v][0], words, wanted * sizeof *words);
    if (n < 0)
        return (int)n;
    if (n != (ssize_t)(wanted * sizeof *words) || (grouped && words[0] != unit->count))
        return n == 0 ? -ENODATA : -EIO;
    ret->enabled_ns = words[1];
    ret->running_ns = words[2];
    memcpy(ret->counts, grouped ? words + 3 : words, unit->count * sizeof *words);
    return 0;
}

bool wtl_perf_unit_runs(const struct wtl_perf_events *events, const struct wtl_perf_unit *unit)
{
    struct reading now;
    bool runs = false;
    for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
        if (unit->fds[v][0] >= 0 && read_variant(events->world, unit, v, &now) == 0)
            runs = runs || now.running_ns > 0 || now.enabled_ns == 0;
    }
    return runs;
}

static void fail(struct wtl_perf_events *events, const struct wtl_perf_unit *unit, int status)
{
    for (size_t i = 0; i < unit->count; i++)
        events->list[unit->members[i]].status = status;
}

/* Whole events, and the rest for the next time. Without scaling the sum is exact. */
static void add(struct wtl_perf_event *event, uint64_t grown, double enabled, double running)
{
    if (running >= enabled) {
        event->value += grown;
        return;
    }
    double scaled = (double)grown * (enabled / running) + event->rest;
    uint64_t whole = (uint64_t)scaled;
    event->value += whole;
    event->rest = scaled - (double)whole;
}

/* Read all PMUs of a unit: 0 or -errno. Their times are added up: a thread is on one of them. */
static int read_all(const struct wtl_perf_events *events,
                    const struct wtl_perf_unit *unit,
                    struct reading now[WTL_CORE_PMUS],
                    double *ret_enabled,
                    double *ret_running)
{
    *ret_enabled = *ret_running = 0;
    for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
        if (unit->fds[v][0] < 0)
            continue;
        int rc = read_variant(events->world, unit, v, &now[v]);
        if (rc < 0)
            return rc;
        double passed = (double)(now[v].enabled_ns - unit->enabled_ns[v]);
        *ret_enabled = passed > *ret_enabled ? passed : *ret_enabled;
        *ret_running += (double)(now[v].running_ns - unit->running_ns[v]);
    }
    return 0;
}

static void keep(struct wtl_perf_unit *unit, const struct reading now[WTL_CORE_PMUS])
{
    for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
        if (unit->fds[v][0] < 0)
            continue;
        memcpy(unit->counts[v], now[v].counts, sizeof unit->counts[v]);
        unit->enabled_ns[v] = now[v].enabled_ns;
        unit->running_ns[v] = now[v].running_ns;
    }
    unit->started = true;
}

/* What event i of a unit has counted since the last read, on all PMUs. */
static uint64_t growth(const struct wtl_perf_unit *unit,
                       const struct reading now[WTL_CORE_PMUS],
                       size_t i)
{
    uint64_t grown = 0;
    for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
        if (unit->fds[v][0] >= 0)
            grown += now[v].counts[i] - unit->counts[v][i];
    }
    return grown;
}

void wtl_perf_unit_read(struct wtl_perf_events *events, struct wtl_perf_unit *unit)
{
    struct reading now[WTL_CORE_PMUS] = {{.enabled_ns = 0}};
    double enabled, running;
    int rc = read_all(events, unit, now, &enabled, &running);
    unit->still = rc == 0 && enabled <= 0;
    if (rc < 0) {
        fail(events, unit, rc);
        return;
    }
    /* If it waits for a counter, the next reading covers this time, too. */
    bool waits = unit->started && enabled > 0 && running <= 0;
    if (waits)
        fail(events, unit, -EAGAIN);
    for (size_t i = 0; i < unit->count && unit->started; i++) {
        struct wtl_perf_event *event = &events->list[unit->members[i]];
        event->waited_ns = waits ? enabled : 0;
        if (waits)
            continue;
        add(event, growth(unit, now, i), enabled, running);
        event->enabled_ns += enabled;
        event->running_ns += running < enabled ? running : enabled;
    }
    if (!waits)
        keep(unit, now);
}
