/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/columns/work_counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "counters/columns/perf_unit.h"

enum { CYCLES, INSTRUCTIONS, MISSES, HARDWARE, CLOCK = HARDWARE, EVENTS };

static const char *const event_names[EVENTS] = {"cycles", "instructions", "cache-misses",
                                                "task-clock"};
/* Less than this part of the time counted: the hardware is shared. */
static const double WHOLE = 0.95;

int wtl_work_counter_open(struct wtl_work_counter *counter,
                          const struct wtl_world *world,
                          const struct wtl_target *target,
                          enum wtl_counted scope,
                          bool clock,
                          struct wattle_error *why)
{
    struct wtl_perf_events *events = &counter->events;
    struct wtl_perf_code codes[EVENTS];
    size_t count = clock ? EVENTS : HARDWARE;
    int rc = 0;
    *counter =
        (struct wtl_work_counter){.events = {.cgroup_fd = -1, .online_fd = -1}, .target = *target};
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = wtl_perf_code(world, event_names[i], &codes[i], why);
    rc = rc < 0 ? rc : wtl_perf_events_open(events, world, &counter->target, scope, codes, count);
    for (size_t i = 0; i < events->count && rc == 0; i++) {
        rc = events->list[i].status;
        if (rc < 0)
            *why = events->list[i].why;
    }
    if (rc < 0)
        wtl_work_counter_close(counter);
    return rc;
}

void wtl_work_counter_close(struct wtl_work_counter *counter)
{
    if (counter->events.world)
        wtl_perf_events_close(&counter->events);
    *counter = (struct wtl_work_counter){.events = {.cgroup_fd = -1, .online_fd = -1}};
}

/* Of the machine: a thread of a tree may wait for a CPU of the kind that an event is of. */
static bool is_shared(const struct wtl_perf_events *events)
{
    return events->scope == WTL_COUNTED_MACHINE &&
           wtl_perf_event_share(&events->list[CYCLES]) < WHOLE;
}

int wtl_work_counter_read(struct wtl_work_counter *counter,
                          struct wtl_share_events *ret_events,
                          uint64_t *ret_cpu_ns)
{
    struct wtl_perf_events *events = &counter->events;
    int rc = 0;
    wtl_perf_events_read(events);
    for (size_t i = 0; i < events->count; i++)
        rc = rc < 0 && rc != -EAGAIN      ? rc
             : events->list[i].status < 0 ? events->list[i].status
                                          : rc;
    if (is_shared(events))
        return -EBUSY;
    if (rc < 0)
        return rc;
    *ret_events =
        (struct wtl_share_events){.cycles = (double)events->list[CYCLES].value,
                                  .instructions = (double)events->list[INSTRUCTIONS].value,
                                  .misses = (double)events->list[MISSES].value};
    if (ret_cpu_ns)
        *ret_cpu_ns = events->count > CLOCK ? events->list[CLOCK].value : 0;
    return 0;
}

static void add_of_unit(const struct wtl_perf_unit *unit, struct wtl_share_events *sum)
{
    double *const parts[HARDWARE] = {
        [CYCLES] = &sum->cycles, [INSTRUCTIONS] = &sum->instructions, [MISSES] = &sum->misses};
    for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
        for (size_t i = 0; i < unit->count && unit->fds[v][0] >= 0; i++)
            *parts[unit->members[i]] += (double)unit->counts[v][i];
    }
}

struct wtl_share_events wtl_work_counter_on(const struct wtl_work_counter *counter, int cpu)
{
    struct wtl_share_events sum = {.cycles = 0};
    for (size_t i = 0; i < counter->events.unit_count; i++) {
        if (counter->events.units[i].place == cpu)
            add_of_unit(&counter->events.units[i], &sum);
    }
    return sum;
}

int wtl_work_counter_rest(struct wtl_work_counter *counter, bool rests)
{
    struct wtl_perf_events *events = &counter->events;
    const struct wtl_ioctl call = {.request =
                                       rests ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE};
    int rc = 0;
    for (size_t i = 0; i < events->unit_count; i++) { /* members count with their leader only */
        for (size_t v = 0; v < WTL_CORE_PMUS; v++) {
            int fd = events->units[i].fds[v][0];
            int one = fd < 0 ? 0 : events->world->ops->ioctl(events->world, fd, &call);
            rc = rc < 0 ? rc : one < 0 ? one : 0;
        }
    }
    for (size_t i = 0; i < events->count && !rests; i++) /* whether others count is asked anew */
        events->list[i].enabled_ns = events->list[i].running_ns = events->list[i].waited_ns = 0;
    return rc;
}

const char *wtl_work_counter_why(int rc)
{
    return rc == -ESTALE ? "a CPU went offline or came online"
           : rc == -EBUSY
               ? "the hardware counters do not suffice, or another program uses them, too"
               : wtl_strerror(rc);
}

struct wtl_share_events wtl_share_events_since(const struct wtl_share_events *now,
                                               const struct wtl_share_events *before)
{
    return (struct wtl_share_events){.cycles = fmax(now->cycles - before->cycles, 0),
                                     .instructions =
                                         fmax(now->instructions - before->instructions, 0),
                                     .misses = fmax(now->misses - before->misses, 0)};
}
