/* SPDX-License-Identifier: BSD-3-Clause */
/* Description: the statistics that describe a set of values: of nodes, of runs, of moments. */
#ifndef WTL_ANALYSIS_DESCRIPTION_H
#define WTL_ANALYSIS_DESCRIPTION_H

#include <stddef.h>

struct wtl_description {
    size_t n;        /* known values; 0: all that follows is NaN */
    double mean, sd; /* sd: NaN for n < 2 */
    double min, p5, q1, median, q3, p95, max;
};

/* Of n values, NaN ones left out. They are sorted in place, NaN last. */
struct wtl_description wtl_describe(double *values, size_t n);

/*
 * The scale of the middle of the values that one far off cannot move: 1.4826 times the median distance from
 * the median, which is the standard deviation where the values are normal (F. R. Hampel, The influence curve
 * and its role in robust estimation, JASA 69 (1974)). values[n] sorted, without NaN; scratch[n] is overwritten.
 * NaN for n = 0.
 */
double wtl_robust_scale(const double *sorted, size_t n, double *scratch);

#endif
