/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph of the tasks of a run, with what the task model found for their types: durations are the times that they spent on a thread,
 * dependences those that their runtime told. What creates tasks, and waits for them without a dependence (taskwait), is not in it.
 */
#ifndef WTL_ANALYSIS_SCHEDULE_GRAPH_H
#define WTL_ANALYSIS_SCHEDULE_GRAPH_H

#include "analysis/schedule/schedule.h"
#include "analysis/tasks/task_study.h"

/* Of a study by tasks. *ret_node: its platform's power and the number of threads that ran tasks; no cap. *ret_s: from the first
 * task's begin to the last one's end. Returns 0; -ENODATA: no tasks,
 * or a type without a power; -ENOMEM; or an error of the trace; with a sentence. */
int wtl_schedule_graph_read(const struct wtl_task_study *study,
                            struct wtl_schedule_graph *ret_graph,
                            struct wtl_schedule_node *ret_node,
                            double *ret_s,
                            struct wattle_error *err);

#endif
