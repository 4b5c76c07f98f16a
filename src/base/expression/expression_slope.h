/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds of an expression over a box of its variables: of its value, and of how it changes with one of them.
 * If the slope's lower bound is not below 0, the expression falls nowhere in the box: a proof, not a sample.
 * Bounds are wider than necessary if a variable occurs several times; they tighten as the box shrinks
 * (interval arithmetic: Moore, "Interval Analysis", 1966).
 */
#ifndef WTL_BASE_EXPRESSION_SLOPE_H
#define WTL_BASE_EXPRESSION_SLOPE_H

#include <stdbool.h>

#include "base/expression/expression.h"

struct wtl_span {
    double low, high; /* low <= high; may be infinite */
};

struct wtl_slope {
    struct wtl_span value;
    struct wtl_span slope; /* of (f(b) - f(a)) / (b - a) for all a < b of the variable, with the
                              others equal; infinite where it may jump */
    bool defined; /* it has a value everywhere in the box; else value and slope are meaningless */
};

/* box[i] is the span of variable i. Safe from any thread; neither allocates nor fails. */
struct wtl_slope wtl_expression_slope(const struct wtl_expression *expression,
                                      const struct wtl_span *box,
                                      unsigned variable);

#endif
