/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that implement the run. */
#ifndef WTL_ANALYSIS_RUN_STATE_H
#define WTL_ANALYSIS_RUN_STATE_H

#include "analysis/cluster/run.h"

struct wtl_run {
    const struct wtl_run *whole; /* for a part: the run it belongs to, with its refused and missing
                                  * nodes */
    struct wtl_run_gathered own; /* its rows; empty in a part of another run */
    struct wtl_run_node *nodes;
    size_t node_count;
    char **names; /* names that had to be made unique; owned */
    size_t name_count;
    char **missing;
    size_t missing_count;
    char **copies; /* owned, as their texts */
    size_t copy_count;
    size_t other_count; /* traces of other runs */
    const char *id, *command;
    int64_t begin_ns, end_ns;
};

/* Align the clocks of the nodes, and set the run's begin and end. */
void wtl_run_align(struct wtl_run *run);
/* Set begin and end of the run from those of its nodes. A trace without a time does not contribute:
 * it gets the run's begin. */
void wtl_run_span(struct wtl_run *run);

#endif
