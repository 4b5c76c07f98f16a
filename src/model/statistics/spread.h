/* SPDX-License-Identifier: BSD-3-Clause */
/* Spread over runs. */
#ifndef WTL_MODEL_SPREAD_H
#define WTL_MODEL_SPREAD_H

#include <stddef.h>

/* Mean, standard deviation and 95 % interval (half width, Student) over runs. */
struct wtl_spread {
    double mean, sd, ci95;
};

/* Spread over n values; sd and ci95 are NaN for n < 2 and n < 3. */
struct wtl_spread wtl_spread_of(const double *values, size_t n);

#endif
