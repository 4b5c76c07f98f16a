/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Homogeneous expressions: if all variables are scaled by s > 0, the value is scaled by s^h. Derived from the
 * form of the expression, as in dimensional analysis: "E*t^2" has h = 3, "sqrt(E^2 + (300*t)^2)" has h = 1,
 * "E + t^2" has none. A degree that is found holds for all values; that of "exp(2*log(t))" is not found.
 */
#ifndef WTL_BASE_EXPRESSION_DEGREE_H
#define WTL_BASE_EXPRESSION_DEGREE_H

#include "base/expression/expression.h"

/* h; NaN if it has none, or when the form does not show it. Safe from any thread. */
double wtl_expression_degree(const struct wtl_expression *expression);

#endif
