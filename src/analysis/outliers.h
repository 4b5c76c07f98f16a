/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outliers: runs so far from the others of their side that normal variation would show one in 5 %
 * of all sides. They are shown and never removed: a slow run is as real as a fast one. And warm-up:
 * first runs that differ from all later ones, which may be excluded on request.
 */
#ifndef WTL_ANALYSIS_OUTLIERS_H
#define WTL_ANALYSIS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

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
