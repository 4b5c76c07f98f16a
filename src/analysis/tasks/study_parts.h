/* SPDX-License-Identifier: BSD-3-Clause */
/* Within the study of tasks: power into rows (study_power.c), activities into them (study_tasks.c), what is worth a flag (study_flags.c). */
#ifndef WTL_ANALYSIS_STUDY_PARTS_H
#define WTL_ANALYSIS_STUDY_PARTS_H

#include "analysis/tasks/task_study.h"

enum { WTL_TASK_CPUS = 4096 };

/* The socket of each CPU, -1 = unknown; false: the trace does not say, or there is only one. */
bool wtl_study_sockets(const struct wtl_trace_reader *reader, int *sockets);

/* Sets with their rows, and the channels of the model. */
int wtl_study_power(struct wtl_task_study *study, struct wattle_error *err);
/* Lags, then the tasks of the rows, workers, and the types of the model. */
int wtl_study_tasks(struct wtl_task_study *study, struct wattle_error *err);
/* Processor time of the program when none of its threads is known to do anything; NaN = unknown. Needs workers. */
double wtl_study_outside_cpu_s(const struct wtl_task_study *study);
/* After the fit. */
int wtl_study_flags(struct wtl_task_study *study);

#endif
