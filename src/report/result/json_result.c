/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The document "wattle.run/1". Every field is always there; what is unknown is null.
 */
#include "report/result/json_result.h"

#include <errno.h>

#include "analysis/traces/results.h"
#include "report/json_value.h"

json_t *wtl_json_results_value(const struct wtl_result *results,
                               size_t count,
                               const struct wtl_region_table *regions,
                               const struct wtl_mpi_time *mpi,
                               const struct wtl_counter_table *counters)
{
    struct wtl_run_content content = {
        .result = results, .regions = regions, .mpi = mpi, .counters = counters};
    struct wtl_repeat repeat;
    if (count == 1)
        return wtl_noun_document("wattle.run/1", &wtl_noun_run, &content);
    if (wtl_repeat_of(results, count, &repeat) < 0)
        return NULL;
    content.result = &repeat.mean;
    content.repeat = &repeat;
    content.runs = results;
    content.run_count = count;
    json_t *document = wtl_noun_document("wattle.run/1", &wtl_noun_run, &content);
    wtl_repeat_fini(&repeat);
    return document;
}

int wtl_json_results(FILE *out, const struct wtl_result *results, size_t count)
{
    return wtl_json_print(out, wtl_json_results_value(results, count, NULL, NULL, NULL));
}
