/* SPDX-License-Identifier: BSD-3-Clause */
/* Within the study of tasks: power into rows (study_power.c), activities into them (study_tasks.c), flags (task_study.c). */
#ifndef WTL_ANALYSIS_STUDY_PARTS_H
#define WTL_ANALYSIS_STUDY_PARTS_H

#include "analysis/tasks/task_study.h"

enum { WTL_TASK_CPUS = 4096 };

/* The socket of each CPU, -1 = unknown; false: the trace does not say, or there is only one. */
bool wtl_study_sockets(const struct wtl_trace_reader *reader, int *sockets);

/* The cards whose lanes the trace has. 0 or -ENOMEM. */
int wtl_study_cards(struct wtl_task_study *study);
bool wtl_study_is_lane(const struct wtl_task_study *study, uint32_t thread);
/* Whether what a thread or lane does is in the equations of a set. */
bool wtl_study_card_fits(const struct wtl_task_study *study, uint32_t thread, int card);

/* Do all activities say their core, and do idle threads spin? */
int wtl_study_survey(struct wtl_task_study *study, struct wattle_error *err);
/* Sets with their rows, and the channels of the model. */
int wtl_study_power(struct wtl_task_study *study, struct wattle_error *err);
/* Lags, then the tasks of the rows, workers, and the types of the model. */
int wtl_study_tasks(struct wtl_task_study *study, struct wattle_error *err);

/* Share of its time for which an activity was active, and how long that is. */
static inline double wtl_study_share(const struct wtl_activity *a)
{
    return a->what == WTL_ACTIVITY_BIN && a->end_ns > a->begin_ns
               ? (double)a->bytes / (double)(a->end_ns - a->begin_ns)
               : 1;
}

static inline double wtl_study_seconds(const struct wtl_activity *a)
{
    return 1e-9 * (double)(a->end_ns - a->begin_ns) * wtl_study_share(a);
}

#endif
