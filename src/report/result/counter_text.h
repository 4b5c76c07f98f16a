/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a run: what was counted, metrics, and both by region. */
#ifndef WTL_REPORT_COUNTER_TEXT_H
#define WTL_REPORT_COUNTER_TEXT_H

#include <stdio.h>

#include "analysis/counters/counter_table.h"
#include "report/style.h"

/* Nothing if the trace has no counter set. 0, or -ENOMEM. */
int wtl_text_counters(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_counter_table *table);

#endif
