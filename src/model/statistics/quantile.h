/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mean, spread and quantiles of a set of numbers. Quantiles are interpolated between the ordered values (R.
 * J. Hyndman, Y. Fan, Sample quantiles in statistical packages, The American Statistician 50 (1996),
 * definition 7).
 */
#ifndef WTL_MODEL_QUANTILE_H
#define WTL_MODEL_QUANTILE_H

#include <stddef.h>

/* Ascending, NaN last. values may be NULL for n = 0. */
void wtl_sort_numbers(double *values, size_t n);

/* The quantile p (0 .. 1) of n sorted values without NaN; NaN for n = 0. */
double wtl_quantile_sorted(const double *sorted, size_t n, double p);

/*
 * The value below which a fraction p of n resamples is expected: the bound of a percentile interval
 * (definition 6 of the same paper: at p (n + 1), so that 9999 resamples leave 250 beyond each end of a 95 %
 * interval). n > 0.
 */
double wtl_bound_sorted(const double *sorted, size_t n, double p);

/* Of n values without NaN, which are sorted in place; NaN for n = 0. */
double wtl_median(double *values, size_t n);

/* Mean, and sample standard deviation; NaN for n < 1 and n < 2. */
double wtl_mean_sd(const double *values, size_t n, double *ret_sd);

#endif
