/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outcome: from a finished (or running) session to the result: summaries, total, the process
 * tree's share, flags, wattle's own cost.
 */
#ifndef WTL_CLI_OUTCOME_H
#define WTL_CLI_OUTCOME_H

#include "cli/measure.h"
#include "counters/governor.h"
#include "record/session.h"

struct wtl_outcome {
    struct wtl_governor before;
    bool
        going_on; /* the measurement is not over: the governor's files, some for each CPU, stay unread */
};

/* What has to be looked at before the window opens. */
void wtl_outcome_before(struct wtl_outcome *outcome, const struct wtl_world *world);

/* Fill everything in *result, which was unknown, but the window, wall time and own_cpu_s, which must be
 * there. session
 * may be NULL (nothing could be measured). 0 or -ENOMEM (what is there stays valid). */
int wtl_outcome_fill(const struct wtl_outcome *outcome,
                     const struct wtl_measure_options *options,
                     const struct wtl_selection *selection,
                     struct wtl_session *session,
                     const struct wtl_child *child,
                     struct wtl_result *result);

/* Idle power as the estimate has it, and the CPUs that it speaks of, when it is the estimate that speaks;
 * NaN else, and *ret_cpus stays. */
double wtl_outcome_idle_w(const struct wtl_selection *selection, double *ret_cpus);

#endif
