/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as CSV, one row per run and channel and one for the total: docs/format/csv.md. */
#ifndef WTL_REPORT_CSV_RESULT_H
#define WTL_REPORT_CSV_RESULT_H

#include <stdio.h>

#include "model/result.h"

/* Errors of the stream stay in it. */
void wtl_csv_results(FILE *out, const struct wtl_result *results, size_t count);

#endif
