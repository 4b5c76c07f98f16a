/* SPDX-License-Identifier: BSD-3-Clause */
/* Results and regions of the traces or runs (cluster/run_names.h) that a user names; runs give the
 * sums over their nodes (run_totals.h). */
#ifndef WTL_ANALYSIS_RESULTS_H
#define WTL_ANALYSIS_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "analysis/regions/region_rows.h"
#include "model/result.h"
#include "trace/reader.h"

/*
 * The results of all paths or none, one open at a time. *ret_results has count of them and is freed
 * by wtl_run_results_free(). The paths must outlive it.
 */
int wtl_run_results_read(char *const *paths,
                         size_t count,
                         struct wtl_result **ret_results,
                         struct wattle_error *err);
void wtl_run_results_free(struct wtl_result *results, size_t count);

/* The rows of the trace or run that `result` was read from, or that it wrote. */
struct wtl_region_table {
    struct wtl_trace_reader *reader; /* owns the names, or */
    struct wtl_run *run;             /* owns those of a run: sums over its nodes */
    struct wtl_region_row *rows;
    size_t count;         /* 0 = the program recorded no region */
    uint64_t interval_ns; /* between samples; 0 = unknown */
};

int wtl_region_table_open(const struct wtl_result *result,
                          struct wtl_region_table *ret_table,
                          struct wattle_error *err);
void wtl_region_table_close(struct wtl_region_table *table);

#endif
