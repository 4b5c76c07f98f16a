/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How every bench prints repeated times: the mean beside the median, since a cost that only some of the calls pay (fresh
 * pages, a full buffer) is in the mean alone, and the 5 % and 95 % quantiles. bench_spread.py prints the same.
 */
#ifndef WTL_BENCH_SPREAD_H
#define WTL_BENCH_SPREAD_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct bench_spread {
    double median, mean, low, high; /* low, high: 5 % and 95 % */
};

static inline int bench_spread_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values, of which there is at least one. */
static inline struct bench_spread bench_spread_of(double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    qsort(values, n, sizeof *values, bench_spread_compare);
    return (struct bench_spread){values[n / 2], sum / (double)n, values[n / 20],
                                 values[n - 1 - n / 20]};
}

/* "  13.5 ns  (mean 27.1, 5 % 11.2, 95 % 94.0)", without a line break; values are multiplied by `scale`. */
static inline void bench_spread_print(const struct bench_spread *spread,
                                      double scale,
                                      int digits,
                                      const char *unit)
{
    (void)printf("%8.*f %s  (mean %.*f, 5 %% %.*f, 95 %% %.*f)", digits, scale * spread->median,
                 unit, digits, scale * spread->mean, digits, scale * spread->low, digits,
                 scale * spread->high);
}

#endif
