/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a step is: for each place the cost of the values if the level changes there, twice the negative logarithm of
 * their likelihood in AR(1) noise; outliers are clipped. Costs of several columns add up.
 *
 *     struct wtl_level_step step = {.phi = 0.1, .sd = 2};
 *     wtl_step_levels(x, stride, n, at, &step);
 *     wtl_step_costs(x, stride, &step, from, count, costs);
 *     k = wtl_step_best(costs, count, &low, &high);         // the step is before x[from + k]
 */
#ifndef WTL_ANALYSIS_STEP_PLACE_H
#define WTL_ANALYSIS_STEP_PLACE_H

#include <stddef.h>

struct wtl_level_step {
    double phi, sd;       /* autocorrelation, and spread without it */
    double before, after; /* levels */
};

/* The levels of n values on both sides of a step before value `at`; NaN where there are none. Values that are not finite
 * are left out. */
void wtl_step_levels(const double *x,
                     size_t stride,
                     size_t n,
                     size_t at,
                     struct wtl_level_step *step);

/* The noise on both sides of it, and the levels. */
void wtl_step_noise(const double *x,
                    size_t stride,
                    size_t n,
                    size_t at,
                    struct wtl_level_step *ret_step);

/* Add the costs of a step before value from + k to costs[k], for k = 0 .. count - 1. from > 0. */
void wtl_step_costs(const double *x,
                    size_t stride,
                    const struct wtl_level_step *step,
                    size_t from,
                    size_t count,
                    double *costs);

/* The place of least cost, and the range of those that cost not much more (may be NULL): a 95 % interval. */
size_t wtl_step_best(const double *costs, size_t count, size_t *ret_low, size_t *ret_high);

#endif
