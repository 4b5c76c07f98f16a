/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptive statistics, outliers and warm-up: see description.h. */
#include "analysis/statistics/description.h"

#include <math.h>

#include "model/statistics/quantile.h"
#include "model/statistics/spread.h"
#include "model/statistics/student.h"

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

/* ---- outliers ---- */

/* The unmarked run farthest from the mean of the unmarked ones, in their standard deviations. */
static size_t farthest(const double *values, size_t n, const bool *marked, double *ret_deviate)
{
    double sum = 0, squares = 0, count = 0;
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        sum += marked[i] ? 0 : values[i];
        count += marked[i] ? 0 : 1;
    }
    double mean = sum / count, most = -1;
    for (size_t i = 0; i < n; i++) {
        double off = marked[i] ? 0 : fabs(values[i] - mean);
        squares += off * off;
        if (!marked[i] && off > most) {
            most = off;
            found = i;
        }
    }
    double sd = sqrt(squares / (count - 1));
    *ret_deviate = sd > 0 ? most / sd : 0;
    return found;
}

/* Rosner's critical value with `left` runs not yet marked. */
static double critical(double left)
{
    double t = wtl_student_quantile(1 - 0.05 / (2 * left), left - 2);
    return (left - 1) * t / sqrt((left - 2 + t * t) * left);
}

size_t wtl_outliers(const double *values, size_t n, bool *is_outlier)
{
    size_t most = n / 5, outliers = 0;
    for (size_t i = 0; i < n; i++)
        is_outlier[i] = false;
    if (n < WTL_OUTLIERS_FEWEST)
        return 0;
    /* Remove candidates in turn; the number of outliers is the last position beyond its critical
     * value. */
    for (int pass = 0; pass < 2; pass++) {
        size_t until = pass ? outliers : most;
        for (size_t i = 0; i < n; i++)
            is_outlier[i] = false;
        for (size_t k = 0; k < until; k++) {
            double deviate;
            size_t at = farthest(values, n, is_outlier, &deviate);
            is_outlier[at] = true;
            if (!pass && deviate > critical((double)(n - k)))
                outliers = k + 1;
        }
    }
    return outliers;
}

size_t wtl_warm_up(const double *values, size_t n)
{
    for (size_t d = n / 3; d >= 1; d--) {
        size_t behind = n - d;
        if (behind < 4)
            continue;
        struct wtl_spread spread = wtl_spread_of(values + d, behind);
        double half = wtl_student_quantile(0.9995, (double)behind - 1) * spread.sd *
                      sqrt(1 + 1 / (double)behind);
        if (fabs(values[d - 1] - spread.mean) > half)
            return d;
    }
    return 0;
}
