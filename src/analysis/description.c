/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptive statistics: see description.h. */
#include "analysis/description.h"

#include <math.h>
#include <stdlib.h>

#include "base/whole.h"

#define MAD_TO_SD 1.482602218505602 /* 1 / the normal quantile of 0.75 */

/* NaN behind all numbers. */
static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

double wtl_quantile_sorted(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return (double)NAN;
    double at = p * (double)(n - 1);
    size_t below = wtl_whole_size(at, n - 1), above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static struct wtl_description unknown(void)
{
    return (struct wtl_description){.mean = NAN,
                                    .sd = NAN,
                                    .min = NAN,
                                    .p5 = NAN,
                                    .q1 = NAN,
                                    .median = NAN,
                                    .q3 = NAN,
                                    .p95 = NAN,
                                    .max = NAN};
}

struct wtl_description wtl_describe(double *values, size_t n)
{
    struct wtl_description d = unknown();
    double sum = 0, squares = 0;
    wtl_sort(values, n, sizeof *values, compare_doubles);
    while (d.n < n && !isnan(values[d.n]))
        sum += values[d.n++];
    if (d.n == 0)
        return d;
    d.mean = sum / (double)d.n;
    for (size_t i = 0; i < d.n; i++)
        squares += (values[i] - d.mean) * (values[i] - d.mean);
    d.sd = d.n > 1 ? sqrt(squares / (double)(d.n - 1)) : (double)NAN;
    d.min = values[0];
    d.p5 = wtl_quantile_sorted(values, d.n, 0.05);
    d.q1 = wtl_quantile_sorted(values, d.n, 0.25);
    d.median = wtl_quantile_sorted(values, d.n, 0.5);
    d.q3 = wtl_quantile_sorted(values, d.n, 0.75);
    d.p95 = wtl_quantile_sorted(values, d.n, 0.95);
    d.max = values[d.n - 1];
    return d;
}

double wtl_robust_scale(const double *sorted, size_t n, double *scratch)
{
    double middle = wtl_quantile_sorted(sorted, n, 0.5);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(sorted[i] - middle);
    wtl_sort(scratch, n, sizeof *scratch, compare_doubles);
    return MAD_TO_SD * wtl_quantile_sorted(scratch, n, 0.5);
}
