/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles: see quantile.h. */
#include "model/statistics/quantile.h"

#include <math.h>

#include "base/whole.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

void wtl_sort_numbers(double *values, size_t n)
{
    wtl_sort(values, n, sizeof *values, compare);
}

/* at: position among the sorted values, 0 .. n - 1. */
static double between(const double *sorted, size_t n, double at)
{
    size_t below = wtl_whole_size(at, n - 1), above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

double wtl_quantile_sorted(const double *sorted, size_t n, double p)
{
    return n ? between(sorted, n, p * (double)(n - 1)) : (double)NAN;
}

double wtl_bound_sorted(const double *sorted, size_t n, double p)
{
    return between(sorted, n, fmin(fmax(p * (double)(n + 1) - 1, 0), (double)(n - 1)));
}

double wtl_median(double *values, size_t n)
{
    wtl_sort_numbers(values, n);
    return wtl_quantile_sorted(values, n, 0.5);
}

double wtl_mean_sd(const double *values, size_t n, double *ret_sd)
{
    double sum = 0, squares = 0;
    *ret_sd = NAN;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    double mean = n ? sum / (double)n : (double)NAN;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    if (n > 1)
        *ret_sd = sqrt(squares / (double)(n - 1));
    return mean;
}
