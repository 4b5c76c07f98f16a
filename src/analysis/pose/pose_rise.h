/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does an expression in E and t fall anywhere between two powers and two run times? Answered by
 * bounds of its slopes (base/expression/expression_slope.h) over parts of that wedge, halved where
 * the bounds are not conclusive: a proof if it does not fall, two points if it does, and "cannot be
 * shown" if neither is found within a limited effort. Flat parts and upward jumps are allowed.
 */
#ifndef WTL_ANALYSIS_POSE_RISE_H
#define WTL_ANALYSIS_POSE_RISE_H

#include <wattle/error.h>

#include "base/expression/expression.h"

struct wtl_pose_wedge {
    double low_w, high_w; /* all codes of E / t between these, 0 <= low_w < high_w, */
    double t_low, t_high; /* and of run times between these [s], 0 < t_low < t_high */
};

/*
 * Returns 0 if it rises or stays constant in energy and in run time over the whole wedge, and is a
 * non-negative number everywhere; -EDOM with the points and the values there if it falls, is
 * negative or has no value, or if this cannot be shown. At most about 10^4 evaluations.
 */
int wtl_pose_rise_check(const struct wtl_expression *expression,
                        const struct wtl_pose_wedge *wedge,
                        struct wattle_error *err);

#endif
