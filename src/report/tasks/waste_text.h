/* SPDX-License-Identifier: BSD-3-Clause */
/* Inefficient stretches (analysis/tasks/waste.h) as text, for "wattle tasks". */
#ifndef WTL_REPORT_WASTE_TEXT_H
#define WTL_REPORT_WASTE_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/tasks/waste.h"
#include "report/style.h"

/* A line with the rule and the sums, and a table of the worst stretches; all of them with style->verbose. start_ns:
 * the zero of their times. Errors of the stream stay in it. 0 or -ENOMEM. */
int wtl_text_waste(FILE *out,
                   const struct wtl_style *style,
                   const struct wtl_activity_lanes *lanes,
                   const struct wtl_waste *waste,
                   uint64_t start_ns);

#endif
