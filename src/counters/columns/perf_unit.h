/* SPDX-License-Identifier: BSD-3-Clause */
/* A group of perf events on one CPU or thread, for the files that implement perf_events.h. */
#ifndef WTL_COUNTERS_PERF_UNIT_H
#define WTL_COUNTERS_PERF_UNIT_H

#include "counters/columns/perf_state.h"

struct wtl_perf_unit {
    size_t count;                          /* events */
    unsigned char members[WTL_PERF_GROUP]; /* their places in the list */
    int fds[WTL_CORE_PMUS]
           [WTL_PERF_GROUP]; /* [PMU][event], -1 = not opened; the first is the leader */
    int place;               /* CPU or thread */
    bool started;
    bool still; /* its clock did not run since the last read */
    uint64_t counts[WTL_CORE_PMUS][WTL_PERF_GROUP];
    uint64_t enabled_ns[WTL_CORE_PMUS], running_ns[WTL_CORE_PMUS];
};

/* Open a group (count, members) at a place: 0, or the error of an event, whose place in the list is then in *ret_failed
 * (may be NULL). */
int wtl_perf_unit_open(struct wtl_perf_events *events,
                       struct wtl_perf_unit *unit,
                       int place,
                       size_t *ret_failed);
void wtl_perf_unit_close(const struct wtl_world *world, struct wtl_perf_unit *unit);

/* Add what was counted since the last read to its events. */
void wtl_perf_unit_read(struct wtl_perf_events *events, struct wtl_perf_unit *unit);

/* Whether all its PMUs have counted since they were opened, or one of several. */
bool wtl_perf_unit_runs(const struct wtl_perf_events *events, const struct wtl_perf_unit *unit);

/* The sentence and the remedy of an event that cannot be opened. */
void wtl_perf_explain(struct wtl_perf_events *events, struct wtl_perf_event *event, int error);

#endif
