/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic expressions typed by users: power over time ("60 + 40*load"), a metric of energy and time
 * ("E*t^2"). Compiled once to a short postfix program; evaluating it neither allocates nor fails nor takes
 * more than WTL_EXPRESSION_OPS steps.
 *
 *   a ? b : c      both sides are evaluated        || &&      0 and 1
 *   == != < <= > >=      0 and 1                   + - * / ^   ^ binds to the right, -2^2 = -4
 *   sin cos tan tanh exp log log10 sqrt abs floor ceil   min(a,b) max(a,b) mod(a,b)
 *   step(x)                    1 from x = 0 on, else 0
 *   square(t, period, duty)    1 in the first fraction `duty` of each period, else 0
 *   clamp(x, low, high)        pi
 */
#ifndef WTL_BASE_EXPRESSION_H
#define WTL_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

enum {
    WTL_EXPRESSION_OPS = 256,      /* longest program */
    WTL_EXPRESSION_DEPTH = 64,     /* maximum nesting, and height of the stack */
    WTL_EXPRESSION_VARIABLES = 32, /* maximum number of variables */
};

struct wtl_expression;

/*
 * Compile text. variables[0 .. n-1] are the names it may use; n <= WTL_EXPRESSION_VARIABLES. The caller owns
 * *ret_expression and frees it with wtl_expression_destroy(). Returns 0; -EINVAL with the column and the
 * remedy in err; -EOVERFLOW when it is too long or too deeply nested; -ENOMEM.
 */
int wtl_expression_compile(const char *text,
                           const char *const *variables,
                           size_t n,
                           struct wtl_expression **ret_expression,
                           struct wattle_error *err);
void wtl_expression_destroy(struct wtl_expression *expression); /* accepts NULL */

/* The value, given the values of the variables in the order of their names. May be NaN or infinite. Safe
 * from any thread. */
double wtl_expression_value(const struct wtl_expression *expression, const double *values);

/* Whether the value depends on variable i. */
bool wtl_expression_uses(const struct wtl_expression *expression, size_t i);

/* The source text; borrowed. */
const char *wtl_expression_text(const struct wtl_expression *expression);

#endif
