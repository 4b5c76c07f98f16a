/* SPDX-License-Identifier: BSD-3-Clause */
/* Description: statistics that describe a set of values: of nodes, of runs, of times. */
#ifndef WTL_ANALYSIS_DESCRIPTION_H
#define WTL_ANALYSIS_DESCRIPTION_H

#include <stddef.h>

struct wtl_description {
    size_t n;        /* known values; 0: everything below is NaN */
    double mean, sd; /* sd: NaN for n < 2 */
    double min, p5, q1, median, q3, p95, max;
};

/* Describe n values, ignoring NaN. They are sorted in place, NaN last. */
struct wtl_description wtl_describe(double *values, size_t n);

/*
 * A scale of the values' spread that a single outlier cannot move: 1.4826 times the median distance
 * from the median, which is the standard deviation for normally distributed values (F. R. Hampel,
 * The influence curve and its role in robust estimation, JASA 69 (1974)). values[n] sorted, without
 * NaN; scratch[n] is overwritten. NaN for n = 0.
 */
double wtl_robust_scale(const double *sorted, size_t n, double *scratch);

#endif
