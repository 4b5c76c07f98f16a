/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does an expression in E and t fall anywhere in a box of them? Answered by bounds of its slopes
 * (base/expression_slope.h) over parts of the box, halved where the bounds do not decide yet: a proof where it
 * does not fall, two points where it does, and "cannot be shown" where neither is found within a
 * limited effort. Flat stretches are allowed here.
 */
#ifndef WTL_ANALYSIS_POSE_RISE_H
#define WTL_ANALYSIS_POSE_RISE_H

#include <wattle/error.h>

#include "base/expression.h"

struct wtl_pose_box {
    double e_low, e_high; /* J */
    double t_low, t_high; /* s */
};

/*
 * Returns 0 when it rises or stays all over the box, and is a number not below 0 everywhere; -EDOM with the
 * points and the values there where it falls, is negative or has no value, or where this cannot be
 * shown. At most some 10^4 evaluations.
 */
int wtl_pose_rise_check(const struct wtl_expression *expression,
                        const struct wtl_pose_box *box,
                        struct wattle_error *err);

#endif
