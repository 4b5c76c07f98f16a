/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells: a time cut into equal stretches, and the mean of a value in each, weighted by the time in which it
 * is known. What lies outside of the cells is cut off.
 */
#ifndef WTL_ANALYSIS_BINS_H
#define WTL_ANALYSIS_BINS_H

#include <stddef.h>

struct wtl_bins {
    double cell_s; /* > 0 */
    size_t count;
    double *integral, *known_s; /* [count], the caller's */
};

void wtl_bins_clear(struct wtl_bins *cells);

/* The value held from begin_s to end_s (seconds since the start of the first cell). What is not finite adds nothing. */
void wtl_bins_add(struct wtl_bins *cells, double begin_s, double end_s, double value);

/* The mean of a cell; NaN where less than `part` of it is known (0: where nothing is). */
double wtl_bins_mean(const struct wtl_bins *cells, size_t k, double part);

#endif
