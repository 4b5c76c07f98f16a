/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptive statistics: see description.h. */
#include "analysis/description.h"

#include <math.h>

#include "model/statistics/quantile.h"

#define MAD_TO_SD 1.482602218505602 /* 1 / the normal quantile of 0.75 */

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
    wtl_sort_numbers(values, n);
    while (d.n < n && !isnan(values[d.n]))
        d.n++;
    if (d.n == 0)
        return d;
    d.mean = wtl_mean_sd(values, d.n, &d.sd);
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
    return MAD_TO_SD * wtl_median(scratch, n);
}
