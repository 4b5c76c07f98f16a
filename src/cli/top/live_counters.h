/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware counters of the processes of the machine, for their shares (account/share.h): of the machine, and of each process that uses
 * 1 % of a CPU or more, at most WTL_LIVE_COUNTED. The others share what the machine has counted more. A process whose threads come and go is opened again every ten looks.
 */
#ifndef WTL_CLI_LIVE_COUNTERS_H
#define WTL_CLI_LIVE_COUNTERS_H

#include "account/process_table.h"
#include "account/share.h"
#include "counters/columns/work_counter.h"

enum { WTL_LIVE_COUNTED = 64 };

struct wtl_live_counted;

/* Zeroed = closed. */
struct wtl_live_counters {
    const struct wtl_world *world; /* NULL = closed */
    struct wtl_work_counter machine;
    struct wtl_share_events total, total_marked, rest;
    struct wtl_live_counted *list;
    size_t count;
};

/* 0, or why the machine's counters cannot be used; they are then closed. */
int wtl_live_counters_open(struct wtl_live_counters *counters,
                           const struct wtl_world *world,
                           struct wattle_error *why);
void wtl_live_counters_close(struct wtl_live_counters *counters); /* no effect if closed */

/* Read all, after a scan of the processes, `seconds` after the last one, and choose whose counters are open from now on. 0, or why they cannot be read on. */
int wtl_live_counters_look(struct wtl_live_counters *counters,
                           const struct wtl_process_table *table,
                           double seconds,
                           struct wattle_error *why);

/* What a process has counted since the mark, or what all that are not counted have: its ratios are theirs. Valid until the next look. */
const struct wtl_share_events *wtl_live_counters_of(const struct wtl_live_counters *counters,
                                                    const struct wtl_process *process);

/* What was counted so far has been divided. */
void wtl_live_counters_mark(struct wtl_live_counters *counters);

#endif
