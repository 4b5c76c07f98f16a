/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of traces and runs: see results.h. */
#include "analysis/traces/results.h"

#include <stdlib.h>

#include "analysis/cluster/run_names.h"
#include "analysis/cluster/run_result.h"
#include "analysis/cluster/run_totals.h"
#include "base/fail.h"

int wtl_run_results_read(char *const *paths,
                         size_t count,
                         struct wtl_result **ret_results,
                         struct wattle_error *err)
{
    struct wtl_result *results = calloc(count + 1, sizeof *results);
    int rc = 0;
    if (!results)
        return wtl_no_memory_for(err, "%zu traces", count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (wtl_run_name_is_run(paths[i])) {
            rc = wtl_run_file_result(paths[i], &results[i], err);
            continue;
        }
        struct wtl_trace_reader *reader = NULL;
        rc = wtl_trace_reader_open(paths[i], &reader, err);
        rc = rc < 0 ? rc : wtl_run_result_read(reader, paths[i], &results[i], err);
        wtl_trace_reader_close(reader);
    }
    if (rc < 0)
        wtl_run_results_free(results, count);
    else
        *ret_results = results;
    return rc;
}

void wtl_run_results_free(struct wtl_result *results, size_t count)
{
    for (size_t i = 0; results && i < count; i++)
        wtl_result_fini(&results[i]);
    free(results);
}

/* Estimates are not shown if there are measurements: one name has one row. */
static size_t sum_rows(const struct wtl_run_totals *totals, struct wtl_region_row *rows)
{
    bool estimated = wtl_run_totals_estimated(totals);
    size_t count = 0;
    for (size_t i = 0; i < totals->region_count; i++) {
        const struct wtl_run_region_sum *sum = &totals->regions[i];
        if (sum->estimated != estimated)
            continue;
        rows[count++] = (struct wtl_region_row){.name = sum->name,
                                                .count = sum->count,
                                                .thread_s = sum->thread_s,
                                                .union_s = sum->union_s,
                                                .exclusive_s = sum->exclusive_s,
                                                .unbalanced = sum->unbalanced,
                                                .crossing = sum->crossing,
                                                .inclusive = sum->inclusive.energy,
                                                .exclusive = sum->exclusive.energy};
    }
    return count;
}

static int open_run(const struct wtl_result *result,
                    struct wtl_region_table *ret_table,
                    struct wattle_error *err)
{
    struct wtl_region_table table = {.interval_ns = result->interval_ns};
    struct wtl_run_totals totals = {0};
    char *const words[] = {(char *)(uintptr_t)result->trace};
    int rc = wtl_run_open(words, 1, NULL, &table.run, err);
    rc = rc < 0 ? rc : wtl_run_totals_of(table.run, &totals, err);
    table.rows = rc == 0 ? calloc(totals.region_count + 1, sizeof *table.rows) : NULL;
    if (table.rows)
        table.count = sum_rows(&totals, table.rows);
    else if (rc == 0)
        rc = wtl_no_memory_for(err, "%zu regions", totals.region_count);
    wtl_run_totals_fini(&totals);
    if (rc < 0)
        wtl_region_table_close(&table);
    else
        *ret_table = table;
    return rc;
}

int wtl_region_table_open(const struct wtl_result *result,
                          struct wtl_region_table *ret_table,
                          struct wattle_error *err)
{
    struct wtl_region_table table = {0};
    if (wtl_run_name_is_run(result->trace))
        return open_run(result, ret_table, err);
    int rc = wtl_trace_reader_open(result->trace, &table.reader, err);
    rc = rc < 0 ? rc : wtl_region_rows(table.reader, result, &table.rows, err);
    if (rc < 0) {
        wtl_region_table_close(&table);
        return rc;
    }
    table.count = (size_t)rc;
    table.interval_ns = result->interval_ns;
    *ret_table = table;
    return 0;
}

void wtl_region_table_close(struct wtl_region_table *table)
{
    free(table->rows);
    wtl_trace_reader_close(table->reader);
    wtl_run_close(table->run);
    *table = (struct wtl_region_table){0};
}
