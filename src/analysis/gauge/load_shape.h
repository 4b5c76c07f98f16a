/* SPDX-License-Identifier: BSD-3-Clause */
/* A load of known shape behind a first-order filter, averaged over windows: exact, since the load is constant between its
 * steps. */
#ifndef WTL_ANALYSIS_LOAD_SHAPE_H
#define WTL_ANALYSIS_LOAD_SHAPE_H

#include <stddef.h>

#include <wattle/error.h>

#include "analysis/gauge/gauge_reading.h"

struct wtl_load_shape;

/* 0; -EINVAL if times do not ascend or loads are not finite; -ENOMEM. The steps are copied. */
int wtl_load_shape_create(const struct wtl_load_step *steps,
                          size_t count,
                          struct wtl_load_shape **ret_shape,
                          struct wattle_error *err);
void wtl_load_shape_destroy(struct wtl_load_shape *shape); /* accepts NULL */

/* The time constant of the filter from now on; 0 = none. */
void wtl_load_shape_filter(struct wtl_load_shape *shape, double tau_s);

/* The mean over [begin_s, end_s]; the value at end_s if they are equal. */
double wtl_load_shape_mean(struct wtl_load_shape *shape, double begin_s, double end_s);

#endif
