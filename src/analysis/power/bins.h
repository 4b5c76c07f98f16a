/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells: a period divided into equal intervals, with the mean of a value in each, weighted by the
 * time for which it is known. Anything outside the cells is ignored.
 */
#ifndef WTL_ANALYSIS_BINS_H
#define WTL_ANALYSIS_BINS_H

#include <stddef.h>

struct wtl_bins {
    double cell_s; /* > 0 */
    size_t count;
    double *integral, *known_s; /* [count], owned by the caller */
};

void wtl_bins_clear(struct wtl_bins *cells);

/* The value held from begin_s to end_s (seconds since the start of the first cell). Non-finite
 * values add nothing. */
void wtl_bins_add(struct wtl_bins *cells, double begin_s, double end_s, double value);

/* The mean of a cell; NaN if less than the fraction `part` of it is known (0: if nothing is
 * known). */
double wtl_bins_mean(const struct wtl_bins *cells, size_t k, double part);

#endif
