/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the tasks of a run would take under a power cap: every output of "wattle tasks --cap" is generated from this. */
#ifndef WTL_ANALYSIS_SCHEDULE_PLAN_H
#define WTL_ANALYSIS_SCHEDULE_PLAN_H

#include "analysis/schedule/schedule.h"
#include "analysis/tasks/task_study.h"

struct wtl_schedule_row {
    const char *policy; /* "free", "uniform", "aware" */
    struct wtl_schedule_result result;
    double over_bound; /* makespan over the bound of the cap, less 1; NaN for free */
};

struct wtl_schedule_plan {
    const char *trace, *command; /* of the study */
    bool simulated;
    struct wtl_schedule_node node;
    size_t tasks, dependences;
    double measured_s; /* from the first task's begin to the end of the last, as the run was */
    struct wtl_schedule_row rows[WTL_SCHEDULE_POLICIES];
    size_t row_count;
    struct wtl_schedule_bounds bounds;
};

/* What the user asks for; 0 = as the run was, or the default. */
struct wtl_schedule_request {
    double cap_w;
    unsigned cores;
    double exponent, slowest;
};

/* Returns 0, or -ENODATA: no tasks, or a type without a power; or as wtl_schedule_simulate(). */
int wtl_schedule_plan_make(const struct wtl_task_study *study,
                           const struct wtl_schedule_request *request,
                           struct wtl_schedule_plan *ret,
                           struct wattle_error *err);

#endif
