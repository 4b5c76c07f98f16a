/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV of results: see csv_result.h. Nine significant digits; the interval stands beside. */
#include "report/result/csv_result.h"

#include "report/result/run_nouns.h"

void wtl_csv_results(FILE *out, const struct wtl_result *results, size_t count)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "results", &wtl_noun_channel_row);
    for (size_t run = 0; run < count; run++) {
        struct wtl_result_row row = {.run = run + 1, .result = &results[run]};
        for (size_t i = 0; i < results[run].energy_count; i++) {
            row.channel = &results[run].channels[i];
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_channel_row, &row);
        }
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_total_row, &row);
    }
    wtl_row_writer_end(&sheet);
}
