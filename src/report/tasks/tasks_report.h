/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks cost: as text, as JSON "wattle.tasks/1" (docs/format/json.md), and as CSV with a row for each type. */
#ifndef WTL_REPORT_TASKS_REPORT_H
#define WTL_REPORT_TASKS_REPORT_H

#include <stdio.h>

#include "analysis/tasks/task_study.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_tasks, wtl_noun_tasks_row;

/* Tables of the text besides that of the types. */
struct wtl_tasks_view {
    bool workers, active;
};

/* Write it and flush. style matters for text and may be NULL. 0; -ENOMEM; or the negative errno of the write that failed, with a
 * sentence. */
int wtl_report_tasks(FILE *out,
                     enum wtl_format format,
                     const struct wtl_task_study *study,
                     const struct wtl_tasks_view *view,
                     const struct wtl_style *style,
                     struct wattle_error *err);

/* The text. Errors of the stream stay in it. 0 or -ENOMEM. */
int wtl_text_tasks(FILE *out,
                   const struct wtl_task_study *study,
                   const struct wtl_tasks_view *view,
                   const struct wtl_style *style);

/* "calibrated", ... */
extern const char *const wtl_task_source_names[];
/* Measured energy that the model does not give to anything. */
double wtl_tasks_unexplained_j(const struct wtl_task_study *study);

#endif
