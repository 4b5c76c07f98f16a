/* SPDX-License-Identifier: BSD-3-Clause */
/* The least value of a function of a few numbers without derivatives (Nelder and Mead 1965). */
#ifndef WTL_ANALYSIS_SIMPLEX_H
#define WTL_ANALYSIS_SIMPLEX_H

#include <stddef.h>

enum { WTL_SIMPLEX_MAX = 4 };

/* From x with steps; x becomes the best point, whose value is returned. Ends after `evaluations`, or when the values of the
 * simplex differ by less than a part of 1e-7. */
double wtl_simplex_least(double (*value)(const double *x, void *context),
                         void *context,
                         double *x,
                         const double *steps,
                         size_t n,
                         size_t evaluations);

#endif
