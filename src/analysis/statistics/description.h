/* SPDX-License-Identifier: BSD-3-Clause */
/* Description: statistics that describe a set of values: of nodes, of runs, of times; and which of them stand out. */
#ifndef WTL_ANALYSIS_DESCRIPTION_H
#define WTL_ANALYSIS_DESCRIPTION_H

#include <stdbool.h>
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

/* ---- outliers ---- */

/*
 * Outliers: runs so far from the others of their side that normal variation would show one in 5 %
 * of all sides. They are shown and never removed: a slow run is as real as a fast one. And warm-up:
 * first runs that differ from all later ones, which may be excluded on request.
 */
enum { WTL_OUTLIERS_FEWEST = 5 };

/*
 * Mark them in is_outlier[n] and return their number; 0 for fewer than five runs, among which none can be told. The rule:
 * generalized extreme Studentized deviate, for at least one and at most a fifth of the runs, on the
 * untransformed values (B. Rosner, Technometrics 25 (1983)); for one it is the test of Grubbs.
 */
size_t wtl_outliers(const double *values, size_t n, bool *is_outlier);

/*
 * The number of first runs that are warm-up: the largest d, at most a third of n, such that run d
 * is outside the 99.9 % prediction interval (Student) of all runs after it, of which there must be
 * four.
 */
size_t wtl_warm_up(const double *values, size_t n);

#endif
