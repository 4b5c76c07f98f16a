/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters and power of a node in equal steps: see counter_rows.h. */
#include "analysis/phases/counter_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int wtl_counter_rows_init(struct wtl_counter_rows *rows,
                          size_t count,
                          size_t columns,
                          uint64_t step_ns)
{
    size_t cells = count * columns;
    *rows = (struct wtl_counter_rows){.rows = count,
                                      .columns = columns,
                                      .step_ns = step_ns,
                                      .end_ns = count * step_ns,
                                      .names = calloc(columns + 1, sizeof *rows->names),
                                      .rate = calloc(cells + 1, sizeof *rows->rate),
                                      .power_w = calloc(count + 1, sizeof *rows->power_w),
                                      .energy_j = calloc(count + 1, sizeof *rows->energy_j),
                                      .known_s = calloc(count + 1, sizeof *rows->known_s)};
    if (!rows->names || !rows->rate || !rows->power_w || !rows->energy_j || !rows->known_s) {
        wtl_counter_rows_fini(rows);
        return -ENOMEM;
    }
    for (size_t i = 0; i < cells; i++)
        rows->rate[i] = NAN;
    for (size_t k = 0; k < count; k++)
        rows->power_w[k] = NAN;
    return 0;
}

void wtl_counter_rows_power(struct wtl_counter_rows *rows, size_t row, double power_w)
{
    double seconds =
        (double)(wtl_counter_rows_end(rows, row) - wtl_counter_rows_begin(rows, row)) * 1e-9;
    rows->power_w[row] = power_w;
    rows->known_s[row] = isfinite(power_w) ? seconds : 0;
    rows->energy_j[row] = isfinite(power_w) ? power_w * seconds : 0;
}

void wtl_counter_rows_fini(struct wtl_counter_rows *rows)
{
    free(rows->names);
    free(rows->rate);
    free(rows->power_w);
    free(rows->energy_j);
    free(rows->known_s);
    *rows = (struct wtl_counter_rows){0};
}

uint64_t wtl_counter_rows_begin(const struct wtl_counter_rows *rows, size_t k)
{
    return k < rows->rows ? rows->begin_ns + k * rows->step_ns : rows->end_ns;
}

uint64_t wtl_counter_rows_end(const struct wtl_counter_rows *rows, size_t k)
{
    return wtl_counter_rows_begin(rows, k + 1);
}

const char *wtl_row_reason_name(enum wtl_row_reason reason)
{
    static const char *const names[] = {[WTL_ROW_NOT_SAMPLED] = "not sampled",
                                        [WTL_ROW_GAP] = "gap",
                                        [WTL_ROW_RESTARTED] = "counter restarted"};
    return (unsigned)reason < WTL_ROW_REASON_COUNT ? names[reason] : "?";
}
