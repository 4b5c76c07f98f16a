/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of phases with known boundaries: levels with noise, for tests of phases. */
#ifndef WATTLE_TESTS_PHASE_ROWS_H
#define WATTLE_TESTS_PHASE_ROWS_H

#include <math.h>
#include <stdlib.h>

#include "analysis/phases/phase.h"
#include "base/random.h"

/* Rows of `columns` counters about 1000 with noise of 100 and power about 50 W with noise of 1 W. */
__attribute__((unused)) static struct wtl_counter_rows noisy_rows(size_t count,
                                                                  size_t columns,
                                                                  uint64_t seed)
{
    struct wtl_counter_rows rows;
    if (wtl_counter_rows_init(&rows, count, columns, 1000000000) < 0)
        abort();
    for (size_t k = 0; k < count; k++) {
        for (size_t c = 0; c < columns; c++)
            rows.rate[k * columns + c] =
                1000 + 100 * wtl_random_normal(seed, k * (columns + 1) + c);
        wtl_counter_rows_power(&rows, k, 50 + wtl_random_normal(seed, k * (columns + 1) + columns));
    }
    return rows;
}

/* Raise a column from row `first` to the end. */
__attribute__((unused)) static void raise_rate(struct wtl_counter_rows *rows,
                                               size_t column,
                                               size_t first,
                                               double by)
{
    for (size_t k = first; k < rows->rows; k++)
        rows->rate[k * rows->columns + column] += by;
}

#endif
