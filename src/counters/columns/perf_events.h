/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Perf events of a machine, a process tree or a cgroup, summed over CPUs, threads and kinds of cores.
 *
 * Events are opened in groups that are read by one call: what the kernel counts itself in one, hardware events in groups of
 * at most four, if a trial shows that such a group gets counters; otherwise alone. If there are more groups than
 * counters, the kernel lets them take turns; then the increase since the last read is multiplied by the time that passed
 * over the time it was counted. An event that was not counted at all since then has no value (-EAGAIN), and the next
 * one covers that time. On a processor with two kinds of cores, the events of both PMUs on a thread are one: it is counted on
 * either.
 */
#ifndef WTL_COUNTERS_PERF_EVENTS_H
#define WTL_COUNTERS_PERF_EVENTS_H

#include "counters/columns/perf_state.h"

/* Open events with these codes. Those that fail have a status below 0 and a sentence. 0 or -ENOMEM;
 * wtl_perf_events_close() in both cases. */
int wtl_perf_events_open(struct wtl_perf_events *events,
                         const struct wtl_world *world,
                         const struct wtl_target *target,
                         enum wtl_counted scope,
                         const struct wtl_perf_code *codes,
                         size_t count);
void wtl_perf_events_close(struct wtl_perf_events *events);

/* Read all: values and status. Does not allocate, lock or print. */
void wtl_perf_events_read(struct wtl_perf_events *events);

/* Part of the time in which it was counted: 1 = always, 0 = never; NaN: it was never due. */
double wtl_perf_event_share(const struct wtl_perf_event *event);

#endif
