/* SPDX-License-Identifier: BSD-3-Clause */
/* A curve: straight lines between points, flat beyond its ends. For example power over load. */
#ifndef WTL_MODEL_CURVE_H
#define WTL_MODEL_CURVE_H

#include <stddef.h>

#include <wattle/error.h>

#define WTL_CURVE_MAX 16

struct wtl_curve {
    size_t count;            /* points, >= 1 when set */
    double x[WTL_CURVE_MAX]; /* ascending */
    double y[WTL_CURVE_MAX];
};

/* "0:50,0.5:80,1:120", or with '+' where commas have another meaning: two to WTL_CURVE_MAX points, x
 * strictly increasing, y not negative. Returns 0 or -EINVAL. Safe from any thread. */
int wtl_curve_parse(const char *text, struct wtl_curve *ret_curve, struct wattle_error *err);

/* Points at equal steps of x from 0 to 1, with y = base + values[i] * rise. */
void wtl_curve_grid(struct wtl_curve *curve,
                    const double *values,
                    size_t count,
                    double base,
                    double rise);

/* The value at x; a few comparisons, no allocation. */
double wtl_curve_at(const struct wtl_curve *curve, double x);

#endif
