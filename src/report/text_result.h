/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a report; called by report.c. All write to out and leave its errors to the end. */
#ifndef WTL_REPORT_TEXT_RESULT_H
#define WTL_REPORT_TEXT_RESULT_H

#include <stdio.h>

#include "analysis/repeat.h"
#include "report/report.h"

/* The result, or the means of repeats (repeat != NULL: result is &repeat->mean). 0 or -ENOMEM. */
int wtl_text_result(FILE *out,
                    const struct wtl_style *style,
                    const struct wtl_result *result,
                    const struct wtl_repeat *repeat);

/* One line per run: outliers are shown, not removed. 0 or -ENOMEM. */
int wtl_text_runs(FILE *out,
                  const struct wtl_style *style,
                  const struct wtl_result *results,
                  size_t count);

/* Half width of the total, for all that is derived from it: over repeats, over the model of an
 * estimate (where that is unknown: the whole), or the resolution of one run; NaN = unknown. */
double wtl_total_half(const struct wtl_result *result, const struct wtl_repeat *repeat);

/* The table of channels with its total, and what that is in words (text_channels.c). */
int wtl_text_channels(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_result *result,
                      const struct wtl_repeat *repeat);

#endif
