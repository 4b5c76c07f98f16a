/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a report; called by report.c. All write to out and leave its errors to the end. */
#ifndef WTL_REPORT_TEXT_RESULT_H
#define WTL_REPORT_TEXT_RESULT_H

#include <stdio.h>

#include "analysis/compare/repeat.h"
#include "report/style.h"

/* The result, or the means of repeats (repeat != NULL: result is &repeat->mean), without its last line. 0 or -ENOMEM. */
int wtl_text_result(FILE *out,
                    const struct wtl_style *style,
                    const struct wtl_result *result,
                    const struct wtl_repeat *repeat);

/* The last line: the command that shows the trace. */
void wtl_text_next(FILE *out, const char *trace);

/* One line per run: outliers are shown, not removed. 0 or -ENOMEM. */
int wtl_text_runs(FILE *out,
                  const struct wtl_style *style,
                  const struct wtl_result *results,
                  size_t count);

/* The total's energy; of repeats the interval is that over them. */
struct wtl_energy wtl_total_energy(const struct wtl_result *result,
                                   const struct wtl_repeat *repeat);

/* The table of channels with its total, and what that contains, in words (text_channels.c). */
int wtl_text_channels(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_result *result,
                      const struct wtl_repeat *repeat);

#endif
