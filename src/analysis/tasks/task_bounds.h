/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares with x >= 0: Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, on sums of products. */
#ifndef WTL_ANALYSIS_TASK_BOUNDS_H
#define WTL_ANALYSIS_TASK_BOUNDS_H

#include <stddef.h>

/*
 * Minimise x' P x - 2 r' x over x >= 0, where P[n][n] is symmetric with ones, or zeros, on its diagonal and n is at most
 * WTL_FIT_TERMS. `from` is where the search begins; those of its values that are not positive begin at the bound. Of
 * columns that depend on each other only one gets a value.
 */
void wtl_bounds_solve(const double *p,
                      const double *r,
                      size_t n,
                      const double *from,
                      double *ret_x);

#endif
