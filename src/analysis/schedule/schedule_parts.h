/* SPDX-License-Identifier: BSD-3-Clause */
/* Within the simulation of schedules: bounds (schedule_bound.c) and simulation (schedule.c). */
#ifndef WTL_ANALYSIS_SCHEDULE_PARTS_H
#define WTL_ANALYSIS_SCHEDULE_PARTS_H

#include "analysis/schedule/schedule.h"

/* 0, -EINVAL or -ERANGE, with a sentence. */
int wtl_schedule_check(const struct wtl_schedule_graph *graph,
                       const struct wtl_schedule_node *node,
                       struct wattle_error *err);

/* Watts for tasks under the cap. */
double wtl_schedule_budget(const struct wtl_schedule_node *node);
/* The highest speed at which a task of this power fits the budget alone. */
double wtl_schedule_fastest(const struct wtl_schedule_node *node, double power_w);

/* Seconds from the begin of each task to the end, if nothing else ran; [count]. */
void wtl_schedule_tails(const struct wtl_schedule_graph *graph,
                        const struct wtl_schedule_node *node,
                        double *tail_s);

#endif
