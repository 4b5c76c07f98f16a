/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as JSON, schema "wattle.run/1": docs/format/json.md. */
#ifndef WTL_REPORT_JSON_RESULT_H
#define WTL_REPORT_JSON_RESULT_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/traces/results.h"
#include "report/result/run_nouns.h"

/* One document, with `repeat` and `runs` when count > 1. 0 or -ENOMEM. */
int wtl_json_results(FILE *out, const struct wtl_result *results, size_t count);

/* The same as a value, with what is not NULL; a new reference, NULL without memory. */
json_t *wtl_json_results_value(const struct wtl_result *results,
                               size_t count,
                               const struct wtl_region_table *regions,
                               const struct wtl_mpi_time *mpi,
                               const struct wtl_counter_table *counters);

#endif
