/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks under a power cap: as text, as JSON "wattle.schedule/1", and as CSV with a row for each policy. */
#ifndef WTL_REPORT_SCHEDULE_REPORT_H
#define WTL_REPORT_SCHEDULE_REPORT_H

#include <stdio.h>

#include "analysis/schedule/schedule_plan.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_schedule, wtl_noun_schedule_row;

/* Write it and flush. 0; -ENOMEM; or the negative errno of the write that failed, with a sentence. */
int wtl_report_schedule(FILE *out,
                        enum wtl_format format,
                        const struct wtl_schedule_plan *plan,
                        const struct wtl_style *style,
                        struct wattle_error *err);

#endif
