/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles compared with manually computed values. */
#include "model/statistics/quantile.h"

#include <math.h>

#include "tap.h"

int main(void)
{
    double four[] = {7, 1, 3, 5}, holed[] = {NAN, 2, NAN, 1}, one[] = {4}, sd;
    double resamples[99];
    wtl_sort_numbers(holed, 4);
    ok(holed[0] == 1 && holed[1] == 2 && isnan(holed[2]), "NaN behind all numbers");
    is_double(wtl_median(four, 4), 4, 0, "between the two in the middle");
    is_double(four[0], 1, 0, "which are sorted");
    is_double(wtl_quantile_sorted(four, 4, 0.25), 2.5, 1e-15, "first quartile");
    is_double(wtl_quantile_sorted(four, 4, 1), 7, 0, "the greatest");
    is_double(wtl_quantile_sorted(one, 1, 0.9), 4, 0, "of one");
    ok(isnan(wtl_median(NULL, 0)), "of none");
    for (int i = 0; i < 99; i++)
        resamples[i] = i + 1;
    is_double(wtl_bound_sorted(resamples, 99, 0.05), 5, 1e-12, "a twentieth of a hundred is below");
    is_double(wtl_bound_sorted(resamples, 99, 0.95), 95, 1e-12, "and beyond");
    is_double(wtl_bound_sorted(resamples, 99, 0.001), 1, 0, "no bound outside of all");
    is_double(wtl_bound_sorted(one, 1, 0.5), 4, 0, "of one resample");
    is_double(wtl_mean_sd(four, 4, &sd), 4, 0, "mean");
    is_double(sd, sqrt(20.0 / 3), 1e-15, "standard deviation");
    ok(wtl_mean_sd(one, 1, &sd) == 4 && isnan(sd), "of one there is none");
    ok(isnan(wtl_mean_sd(NULL, 0, &sd)), "of none nothing");
    return done_testing();
}
