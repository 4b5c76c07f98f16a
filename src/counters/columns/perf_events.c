/* SPDX-License-Identifier: BSD-3-Clause */
/* Perf events of a target: which can be opened, in which groups, on which CPUs or threads. See perf_events.h. */
#define _GNU_SOURCE
#include "counters/columns/perf_events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/parse.h"
#include "counters/columns/perf_unit.h"
#include "counters/tree_walk.h"

#define ONLINE "/sys/devices/system/cpu/online"

/* A unit that stands still for this long while the others go on has lost its CPU. */
enum { STILL_NS = 1000000 };

/* Descriptors to be left for others. */
enum { SPARE = 64 };

/* ---- places ---- */

static int add_place(struct wtl_perf_events *events, int place)
{
    if (wtl_grow(&events->places, events->place_count, sizeof *events->places) < 0)
        return -ENOMEM;
    events->places[events->place_count++] = place;
    return 0;
}

static int add_threads(const struct wtl_tree_walk *walk, pid_t pid, void *context)
{
    struct wtl_perf_events *events = context;
    char path[40], **names;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    int count = walk->world->ops->list(walk->world, path, &names), rc = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        uint64_t tid;
        if (wtl_parse_u64(names[i], &tid) == 0 && tid > 0 && tid <= INT32_MAX)
            rc = add_place(events, (int)tid);
    }
    if (count >= 0)
        free((void *)names);
    return count < 0 ? count : rc;
}

/* A process that has not started is one thread, and its descendants inherit the events; of a running one, all its
 * threads and descendants. */
static int find_threads(struct wtl_perf_events *events)
{
    struct wtl_tree_walk walk = {.world = events->world};
    if (events->scope == WTL_COUNTED_PROCESS)
        return add_threads(&walk, events->target->pid, events);
    if (events->target->inherit)
        return add_place(events, events->target->pid);
    int rc = wtl_tree_walk_init(&walk, events->world, events->target->pid);
    walk.of_all_threads = true;
    rc = rc < 0 ? rc : wtl_tree_walk_all(&walk, add_threads, events);
    wtl_tree_walk_fini(&walk);
    return rc;
}

static int find_cpus(struct wtl_perf_events *events)
{
    uint8_t set[WTL_CPUS_MAX / 8] = {0};
    int rc = wtl_cpus_online(events->world, set);
    for (int cpu = 0; rc > 0 && cpu < WTL_CPUS_MAX; cpu++) {
        if (set[cpu / 8] >> (cpu % 8) & 1 && add_place(events, cpu) < 0)
            rc = -ENOMEM;
    }
    if (rc > 0 && wtl_world_text(events->world, ONLINE, events->online, sizeof events->online) > 0)
        events->online_fd = events->world->ops->open(events->world, ONLINE, O_RDONLY);
    return rc < 0 ? rc : 0;
}

static int find_places(struct wtl_perf_events *events)
{
    if (wtl_perf_is_of_threads(events->scope))
        return find_threads(events);
    if (events->scope == WTL_COUNTED_CGROUP) {
        int fd =
            events->world->ops->open(events->world, events->target->cgroup, O_RDONLY | O_DIRECTORY);
        if (fd < 0)
            return fd;
        events->cgroup_fd = fd;
    }
    return find_cpus(events);
}

/* ---- which events ---- */

/* Open an event alone at a place, and close it again. */
static int try_at(struct wtl_perf_events *events, size_t i, int place)
{
    struct wtl_perf_unit unit = {.count = 1, .members = {(unsigned char)i}};
    int rc = wtl_perf_unit_open(events, &unit, place, NULL);
    bool any = false;
    for (size_t v = 0; v < WTL_CORE_PMUS; v++)
        any = any || unit.fds[v][0] >= 0;
    wtl_perf_unit_close(events->world, &unit);
    return rc < 0 || any ? rc : -ENODEV; /* its PMU is not that of this CPU */
}

/* At the first place that has its PMU. */
static int try_event(struct wtl_perf_events *events, size_t i)
{
    int rc = -ENODEV;
    for (size_t p = 0; p < events->place_count && rc == -ENODEV; p++)
        rc = try_at(events, i, events->places[p]);
    return rc;
}

static bool is_denied(int rc)
{
    return rc == -EACCES || rc == -EPERM;
}

static void choose(struct wtl_perf_events *events, size_t i)
{
    struct wtl_perf_event *event = &events->list[i];
    int rc = try_event(events, i);
    if (is_denied(rc) && !wtl_perf_code_needs_kernel(&event->code)) {
        event->user_only = true;
        int second = try_event(events, i);
        event->user_only = second == 0;
        rc = second == 0 || !is_denied(second) ? second : rc;
    }
    event->status = rc;
    if (rc < 0)
        wtl_perf_explain(events, event, rc);
}

/* ---- groups ---- */

static bool is_hardware(const struct wtl_perf_code *code)
{
    return code->type == PERF_TYPE_HARDWARE || code->type == PERF_TYPE_HW_CACHE ||
           code->type == PERF_TYPE_RAW;
}

/* Do two events belong to one group, which has n so far? */
static bool goes_with(const struct wtl_perf_code *a, const struct wtl_perf_code *b, size_t n)
{
    if (wtl_perf_code_is_software(a) && wtl_perf_code_is_software(b))
        return n < WTL_PERF_GROUP;
    return is_hardware(a) && is_hardware(b) && n < WTL_PERF_HARDWARE_GROUP;
}

/* Does such a group get counters at once? Tried on this thread, which is running. Unknown counts as no. */
static bool fits(struct wtl_perf_events *events, struct wtl_perf_unit *unit)
{
    const enum wtl_counted scope = events->scope;
    const int cgroup_fd = events->cgroup_fd;
    if (unit->count == 1 || wtl_perf_code_is_software(&events->list[unit->members[0]].code))
        return true;
    events->scope = WTL_COUNTED_TREE;
    events->cgroup_fd = -1;
    bool good = wtl_perf_unit_open(events, unit, 0, NULL) == 0;
    if (good)
        good = wtl_perf_unit_runs(events, unit);
    wtl_perf_unit_close(events->world, unit);
    events->scope = scope;
    events->cgroup_fd = cgroup_fd;
    return good;
}

/* Open a group at all places; all its events fail together. */
static int open_group(struct wtl_perf_events *events, const struct wtl_perf_unit *pattern)
{
    size_t first = events->unit_count, failed = pattern->members[0];
    int rc = 0;
    for (size_t p = 0; p < events->place_count && rc == 0; p++) {
        if (wtl_grow(&events->units, events->unit_count, sizeof *events->units) < 0)
            return -ENOMEM;
        struct wtl_perf_unit *unit = &events->units[events->unit_count];
        *unit = *pattern;
        rc = wtl_perf_unit_open(events, unit, events->places[p], &failed);
        if (rc == -ESRCH && p > 0)
            rc = 0; /* a thread that has ended meanwhile */
        else if (rc == 0)
            events->unit_count++;
    }
    while (rc < 0 && events->unit_count > first)
        wtl_perf_unit_close(events->world, &events->units[--events->unit_count]);
    return rc;
}

/* Each event of a group on its own. */
static int open_apart(struct wtl_perf_events *events, const struct wtl_perf_unit *group)
{
    int rc = 0;
    for (size_t i = 0; i < group->count && rc != -ENOMEM; i++) {
        struct wtl_perf_event *event = &events->list[group->members[i]];
        struct wtl_perf_unit alone = {.count = 1, .members = {group->members[i]}};
        rc = open_group(events, &alone);
        if (rc < 0 && rc != -ENOMEM) {
            event->status = rc;
            wtl_perf_explain(events, event, rc);
        }
    }
    return rc == -ENOMEM ? rc : 0;
}

static int open_pattern(struct wtl_perf_events *events, struct wtl_perf_unit *group)
{
    int rc = group->count > 1 && fits(events, group) ? open_group(events, group) : -EINVAL;
    return rc == 0 || rc == -ENOMEM ? rc : open_apart(events, group);
}

static int open_groups(struct wtl_perf_events *events)
{
    bool *done = calloc(events->count + 1, sizeof *done);
    int rc = done ? 0 : -ENOMEM;
    for (size_t i = 0; i < events->count && rc == 0; i++) {
        struct wtl_perf_unit group = {.count = 0};
        for (size_t k = i; k < events->count && !done[i] && events->list[i].status == 0; k++) {
            bool joins =
                k == i || goes_with(&events->list[i].code, &events->list[k].code, group.count);
            if (done[k] || events->list[k].status < 0 || !joins)
                continue;
            group.members[group.count++] = (unsigned char)k;
            if (k != i)
                done[k] = true;
        }
        if (group.count > 0)
            rc = open_pattern(events, &group);
    }
    free(done);
    return rc;
}

/* Are descriptors left for everything else: traces, sensors, files? */
static bool is_spare(const struct wtl_perf_events *events)
{
    int fds[SPARE], count = 0;
    while (count < SPARE &&
           (fds[count] = events->world->ops->open(events->world, "/", O_RDONLY)) >= 0)
        count++;
    bool spare = count == SPARE || (fds[count] != -EMFILE && fds[count] != -ENFILE);
    while (count > 0)
        events->world->ops->close(events->world, fds[--count]);
    return spare;
}

/* If the events have taken them, there are none. */
static void leave_spare(struct wtl_perf_events *events)
{
    if (events->unit_count == 0 || is_spare(events))
        return;
    while (events->unit_count > 0) {
        struct wtl_perf_unit *unit = &events->units[--events->unit_count];
        for (size_t i = 0; i < unit->count; i++) {
            struct wtl_perf_event *event = &events->list[unit->members[i]];
            event->status = -EMFILE;
            wtl_perf_explain(events, event, -EMFILE);
        }
        wtl_perf_unit_close(events->world, unit);
    }
}

int wtl_perf_events_open(struct wtl_perf_events *events,
                         const struct wtl_world *world,
                         const struct wtl_target *target,
                         enum wtl_counted scope,
                         const struct wtl_perf_code *codes,
                         size_t count)
{
    *events = (struct wtl_perf_events){
        .world = world, .target = target, .scope = scope, .cgroup_fd = -1, .online_fd = -1};
    if (count == 0)
        return 0;
    events->list = calloc(count, sizeof *events->list);
    if (!events->list)
        return -ENOMEM;
    events->count = count;
    int rc = wtl_core_pmus_load(world, &events->pmus);
    int where = rc < 0 ? rc : find_places(events);
    if (rc == -ENOMEM || where == -ENOMEM)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        events->list[i].code = codes[i];
        events->list[i].status = where;
        if (where < 0)
            wtl_perf_explain(events, &events->list[i], where);
        else
            choose(events, i);
    }
    rc = open_groups(events);
    leave_spare(events);
    return rc;
}

void wtl_perf_events_close(struct wtl_perf_events *events)
{
    for (size_t i = 0; i < events->unit_count; i++)
        wtl_perf_unit_close(events->world, &events->units[i]);
    if (events->world && events->cgroup_fd >= 0)
        events->world->ops->close(events->world, events->cgroup_fd);
    if (events->world && events->online_fd >= 0)
        events->world->ops->close(events->world, events->online_fd);
    free(events->units);
    free(events->places);
    free(events->list);
    *events = (struct wtl_perf_events){.cgroup_fd = -1, .online_fd = -1};
}

/* ---- reading ---- */

/* Are the CPUs the same as when the events were opened? */
static bool same_cpus(const struct wtl_perf_events *events)
{
    char text[sizeof events->online];
    ssize_t n = events->world->ops->pread(events->world, events->online_fd, text, sizeof text, 0);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    return n < 0 ||
           ((size_t)n == strlen(events->online) && memcmp(text, events->online, (size_t)n) == 0);
}

void wtl_perf_events_read(struct wtl_perf_events *events)
{
    if (events->unit_count == 0)
        return;
    uint64_t now_ns = wtl_world_monotonic(events->world);
    bool timely = events->read_ns > 0 && now_ns > events->read_ns + STILL_NS, still = false;
    for (size_t i = 0; i < events->unit_count; i++) {
        const struct wtl_perf_unit *unit = &events->units[i];
        for (size_t k = 0; k < unit->count; k++)
            events->list[unit->members[k]].status = 0;
    }
    for (size_t i = 0; i < events->unit_count; i++) {
        wtl_perf_unit_read(events, &events->units[i]);
        still = still || events->units[i].still;
    }
    events->read_ns = now_ns;
    if (events->online_fd < 0)
        return;
    events->stale = events->stale || !same_cpus(events) ||
                    (timely && still && events->scope == WTL_COUNTED_MACHINE);
    for (size_t i = 0; i < events->count && events->stale; i++)
        events->list[i].status = -ESTALE;
}

double wtl_perf_event_share(const struct wtl_perf_event *event)
{
    double all = event->enabled_ns + event->waited_ns;
    return all > 0 ? event->running_ns / all : (double)NAN;
}
