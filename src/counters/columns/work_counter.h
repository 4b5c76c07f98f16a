/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hardware counters by which energy is divided: cycles, instructions and cache misses of the machine, of a process tree, of a
 * single process or of a control group. The one place where wattle run, top and wattled open them. One group of three events on each CPU, or for each thread. Where
 * others use the hardware, too, so that groups have to take turns, these give way: reading says -EBUSY, and closing gives the hardware back.
 */
#ifndef WTL_COUNTERS_WORK_COUNTER_H
#define WTL_COUNTERS_WORK_COUNTER_H

#include "counters/columns/perf_events.h"
#include "model/shares/share_events.h"

struct wtl_work_counter {
    struct wtl_perf_events events; /* list NULL = closed */
    struct wtl_target target;
};

/* `clock`: with the CPU time of a tree. Only what belongs to the target's text is borrowed (the path of a cgroup). 0, or why it is not possible: it is then
 * closed. */
int wtl_work_counter_open(struct wtl_work_counter *counter,
                          const struct wtl_world *world,
                          const struct wtl_target *target,
                          enum wtl_counted scope,
                          bool clock,
                          struct wattle_error *why);
void wtl_work_counter_close(struct wtl_work_counter *counter); /* no effect if closed, or zeroed */

/* Events since the first read, and CPU time with a clock (may be NULL). 0; -EAGAIN: not yet counted, the next read covers this time;
 * -EBUSY: others use the counters, too; -ESTALE: a CPU has come or gone; another error. */
int wtl_work_counter_read(struct wtl_work_counter *counter,
                          struct wtl_share_events *ret_events,
                          uint64_t *ret_cpu_ns);

/* Of a counter of the machine: what a CPU has counted up to the last read. 0 of one that is not there. */
struct wtl_share_events wtl_work_counter_on(const struct wtl_work_counter *counter, int cpu);

/* Rest, or count again: resting takes no hardware, and neither needs a privilege. 0 or -errno. */
int wtl_work_counter_rest(struct wtl_work_counter *counter, bool rests);

/* The sentence of an error of a read. */
const char *wtl_work_counter_why(int rc);

struct wtl_share_events wtl_share_events_since(const struct wtl_share_events *now,
                                               const struct wtl_share_events *before);

#endif
