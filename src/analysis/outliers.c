/* SPDX-License-Identifier: BSD-3-Clause */
/* Outliers and warm-up: see outliers.h. */
#include "analysis/outliers.h"

#include <math.h>

#include "model/statistics/spread.h"
#include "model/statistics/student.h"

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
