/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/columns/work_counter.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

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

const char *wtl_work_counter_why(int rc)
{
    return rc == -ESTALE  ? "a CPU went offline or came online"
           : rc == -EBUSY ? "another program uses the hardware counters, too"
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
