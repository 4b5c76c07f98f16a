/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does an expression in E and t fall anywhere between two powers and two run times? Answered by bounds of its slopes
 * (base/expression/expression_slope.h) over parts of that wedge, halved where the bounds do not decide yet: a proof where it
 * does not fall, two points where it does, and "cannot be shown" where neither is found within a
 * limited effort. Flat stretches and jumps upwards are allowed.
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
 * Returns 0 when it rises or stays in energy and in run time all over the wedge, and is a number not below 0
 * everywhere; -EDOM with the points and the values there where it falls, is negative or has no value, or where
 * this cannot be shown. At most some 10^4 evaluations.
 */
int wtl_pose_rise_check(const struct wtl_expression *expression,
                        const struct wtl_pose_wedge *wedge,
                        struct wattle_error *err);

#endif
