/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outliers: runs that stand so far from the others of their side that normal variation would show one
 * in 5 % of all sides. They are shown and never removed: a slow run is as real as a fast one. And
 * warm-up: first runs that differ from all behind them, which may be left out on request.
 */
#ifndef WTL_ANALYSIS_OUTLIERS_H
#define WTL_ANALYSIS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Mark them in is_outlier[n] and return their number; below five runs there are none. The rule:
 * generalized extreme Studentized deviate, at most a fifth of the runs and at least one looked for, on
 * the values as they are (B. Rosner, Technometrics 25 (1983)); for one it is the test of Grubbs.
 */
size_t wtl_outliers(const double *values, size_t n, bool *is_outlier);

/*
 * How many first runs are warm-up: the greatest d, at most a third of n, such that run d lies outside
 * of the 99.9 % prediction interval (Student) of all runs behind it, of which there must be four.
 */
size_t wtl_warm_up(const double *values, size_t n);

#endif
