/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions: values, precedence, errors with their column, and the limits. */
#include "base/expression/expression.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

static const char *const names[] = {"t", "load", "f"};
static const double values[] = {2.5, 0.25, 3.0};

static const struct {
    int line;
    const char *text;
    double value;
} good[] = {
    {__LINE__, "42", 42},
    {__LINE__, " 1.5e2 ", 150},
    {__LINE__, ".5", 0.5},
    {__LINE__, "2e3", 2000},
    {__LINE__, "1 + 2*3", 7},
    {__LINE__, "(1+2)*3", 9},
    {__LINE__, "10-4-3", 3},
    {__LINE__, "16/4/2", 2},
    {__LINE__, "-2^2", -4},
    {__LINE__, "(-2)^2", 4},
    {__LINE__, "2^3^2", 512},
    {__LINE__, "2^-1", 0.5},
    {__LINE__, "--3", 3},
    {__LINE__, "+3", 3},
    {__LINE__, "60+40*load", 70},
    {__LINE__, "t*f", 7.5},
    {__LINE__, "20 + 10*f^2", 110},
    {__LINE__, "1 < 2", 1},
    {__LINE__, "2 <= 1", 0},
    {__LINE__, "3 > 2 && 1 > 2", 0},
    {__LINE__, "3 > 2 || 1 > 2", 1},
    {__LINE__, "!0 + !5", 1},
    {__LINE__, "1 != 2", 1},
    {__LINE__, "2 == 2", 1},
    {__LINE__, "t > 2 ? 100 : 50", 100},
    {__LINE__, "t > 3 ? 100 : t > 2 ? 70 : 50", 70},
    {__LINE__, "sin(pi/2)", 1},
    {__LINE__, "cos(0)+exp(0)+log(1)+sqrt(9)", 5},
    {__LINE__, "log10(1000)", 3},
    {__LINE__, "abs(-4)+floor(2.7)+ceil(2.2)", 9},
    {__LINE__, "min(3, 4) + max(3,4)", 7},
    {__LINE__, "mod(-1, 4)", 3},
    {__LINE__, "step(t-2.5)", 1},
    {__LINE__, "step(t-2.6)", 0},
    {__LINE__, "square(t, 2, 0.5)", 1},
    {__LINE__, "square(t, 2, 0.2)", 0},
    {__LINE__, "square(t - 1, 2, 0.5)", 0},
    {__LINE__, "clamp(t, 0, 1)", 1},
    {__LINE__, "tanh(0) + tan(0)", 0},
    {__LINE__, "tanh(1e9)", 1},
};

static const struct {
    int line;
    const char *text;
    int code;
    const char *says; /* part of the message */
} bad[] = {
    {__LINE__, "", -EINVAL, "column 1: missing value"},
    {__LINE__, "60+", -EINVAL, "column 4: missing value"},
    {__LINE__, "60+40*lod", -EINVAL,
     "column 7: unknown name 'lod'; known names are t, load, f, pi"},
    {__LINE__, "(1+2", -EINVAL, "column 5: expected ')'"},
    {__LINE__, "1+2)", -EINVAL, "column 4: expected an operator, found ')'"},
    {__LINE__, "2 3", -EINVAL, "column 3: expected an operator"},
    {__LINE__, "* 2", -EINVAL, "column 1: expected a value, found '*'"},
    {__LINE__, "1..2", -EINVAL, "column 1: '1..2' is not a number"},
    {__LINE__, "sin 2", -EINVAL, "sin needs its 1 argument in parentheses"},
    {__LINE__, "min(1)", -EINVAL, "min takes 2 arguments, found 1"},
    {__LINE__, "sin(1, 2)", -EINVAL, "expected ')' after the argument of sin"},
    {__LINE__, "1 ? 2", -EINVAL, "expected ':'"},
    {__LINE__, "a", -EINVAL, "unknown name 'a'"},
    {__LINE__, "1e999", -EINVAL, "is not a number"},
    {__LINE__, "1 = 2", -EINVAL, "column 3: expected an operator, found '='"},
    {__LINE__, "\xff", -EINVAL, "column 1"},
};

static struct wtl_expression *compile(const char *text, int *ret_code, struct wattle_error *err)
{
    struct wtl_expression *expression = NULL;
    *ret_code = wtl_expression_compile(text, names, 3, &expression, err);
    return expression;
}

static void check_values(void)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct wattle_error err = {""};
        int rc;
        tap_line = good[i].line;
        struct wtl_expression *expression = compile(good[i].text, &rc, &err);
        if (!ok(rc == 0 && expression, "\"%s\" compiles: %s", good[i].text, err.text))
            continue;
        is_double(wtl_expression_value(expression, values), good[i].value, 1e-12, "\"%s\"",
                  good[i].text);
        is_str(wtl_expression_text(expression), good[i].text, "its text is kept");
        wtl_expression_destroy(expression);
    }
    tap_line = 0;
}

static void check_refusals(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wattle_error err = {""};
        int rc;
        tap_line = bad[i].line;
        struct wtl_expression *expression = compile(bad[i].text, &rc, &err);
        is_int(rc, bad[i].code, "\"%s\" is refused", bad[i].text);
        ok(!expression, "nothing is returned");
        if (!ok(strstr(err.text, bad[i].says) != NULL, "the sentence says: %s", bad[i].says))
            diag("%s", err.text);
    }
    tap_line = 0;
}

/* "((((1))))" with n pairs. */
static int nested(int n)
{
    char *text = malloc((size_t)n * 2 + 2);
    int rc;
    memset(text, '(', (size_t)n);
    text[n] = '1';
    memset(text + n + 1, ')', (size_t)n);
    text[2 * n + 1] = '\0';
    wtl_expression_destroy(compile(text, &rc, NULL));
    free(text);
    return rc;
}

/* "t+t+t", or "t+(t+(t+...))", which needs a deep stack. */
static int sum(int n, bool right)
{
    char *text = calloc((size_t)n + 1, 4);
    char *p = text;
    int rc;
    for (int i = 0; i < n; i++)
        p = memcpy(p, right ? "t^" : "t+", 2), p += 2;
    *p = 't';
    wtl_expression_destroy(compile(text, &rc, NULL));
    free(text);
    return rc;
}

static void check_limits(void)
{
    is_int(nested(60), 0, "60 parentheses");
    is_int(nested(100000), -EOVERFLOW, "100000 parentheses are too deep");
    is_int(sum(100, false), 0, "a sum of 101");
    is_int(sum(10000, false), -EOVERFLOW, "a sum of 10001 is too long");
    is_int(sum(50, true), 0, "a tower of 51 powers");
    is_int(sum(200, true), -EOVERFLOW, "a tower of 201 powers is too deep");

    const char *many[WTL_EXPRESSION_VARIABLES + 1] = {0};
    struct wtl_expression *none = NULL;
    is_int(wtl_expression_compile("1", many, WTL_EXPRESSION_VARIABLES + 1, &none, NULL), -EINVAL,
           "too many variables");
}

static void check_uses(void)
{
    int rc;
    struct wtl_expression *expression = compile("f + 0*2", &rc, NULL);
    ok(expression && wtl_expression_uses(expression, 2), "uses f");
    ok(expression && !wtl_expression_uses(expression, 0), "does not use t");
    ok(expression && !wtl_expression_uses(expression, 99), "nor what does not exist");
    wtl_expression_destroy(expression);

    expression = compile("log(t-3)", &rc, NULL);
    ok(expression && isnan(wtl_expression_value(expression, values)), "no value is NaN");
    wtl_expression_destroy(expression);
    wtl_expression_destroy(NULL);
}

int main(void)
{
    check_values();
    check_refusals();
    check_limits();
    check_uses();
    return done_testing();
}
