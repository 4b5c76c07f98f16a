/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of slopes: known values, and that no value or slope of random expressions is outside
 * them. */
#include "base/expression/expression_slope.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tap.h"

static const char *const names[] = {"x", "y"};
static uint64_t drawn;

static double uniform(double low, double high)
{
    return low + (high - low) * wtl_random_uniform(20261122, drawn++);
}

static struct wtl_expression *compile(const char *text)
{
    struct wtl_expression *expression = NULL;
    struct wattle_error err = {""};
    if (wtl_expression_compile(text, names, 2, &expression, &err) < 0)
        diag("%s", err.text);
    return expression;
}

/* ---- known values ---- */

static void test_known(void)
{
    static const struct {
        int line;
        const char *text;
        struct wtl_span x;
        double low, high, slope_low, slope_high;
    } rows[] = {
        {__LINE__, "3", {1, 2}, 3, 3, 0, 0},
        {__LINE__, "y", {1, 2}, 5, 7, 0, 0},
        {__LINE__, "x", {1, 2}, 1, 2, 1, 1},
        {__LINE__, "-2*x", {1, 2}, -4, -2, -2, -2},
        {__LINE__, "x*x", {1, 3}, 1, 9, 2, 6},
        {__LINE__, "x^2", {-1, 3}, 0, 9, -2, 6},
        {__LINE__, "x^3", {-2, 1}, -8, 1, 0, 12},
        {__LINE__, "x^-1", {1, 2}, 0.5, 1, -1, -0.25},
        {__LINE__, "x^0.5", {0, 4}, 0, 2, 0.25, INFINITY},
        {__LINE__, "1/x", {1, 2}, 0.5, 1, -1, -0.25},
        {__LINE__, "sqrt(x)", {1, 4}, 1, 2, 0.25, 0.5},
        {__LINE__, "exp(x)", {0, 0}, 1, 1, 1, 1},
        {__LINE__, "log(x)", {1, 1}, 0, 0, 1, 1},
        {__LINE__, "abs(x)", {-1, 2}, 0, 2, -1, 1},
        {__LINE__, "sin(x)", {0, 4}, -0.75680249530792825, 1, -1, 1},
        {__LINE__, "cos(x)", {0, 0}, 1, 1, 0, 0},
        {__LINE__, "floor(x)", {1.2, 1.7}, 1, 1, 0, 0},
        {__LINE__, "floor(x)", {1.2, 2.1}, 1, 2, 0, INFINITY},
        {__LINE__, "-ceil(x)", {1.2, 2.1}, -3, -2, -INFINITY, 0},
        {__LINE__, "step(x - 1)", {0, 2}, 0, 1, 0, INFINITY},
        {__LINE__, "x < 1", {0, 2}, 0, 1, -INFINITY, 0},
        {__LINE__, "x < 1", {1, 2}, 0, 0, 0, 0},
        {__LINE__, "x >= 1", {1, 2}, 1, 1, 0, 0},
        {__LINE__, "x == 1", {0, 2}, 0, 1, -INFINITY, INFINITY},
        {__LINE__, "x > 0 && x < 5", {1, 2}, 1, 1, 0, 0},
        {__LINE__, "min(x, 3)", {1, 2}, 1, 2, 1, 1},
        {__LINE__, "min(x, 3)", {1, 4}, 1, 3, 0, 1},
        {__LINE__, "max(x, 3)", {1, 2}, 3, 3, 0, 0},
        {__LINE__, "clamp(x, 0, 10)", {1, 2}, 1, 2, 1, 1},
        {__LINE__, "mod(x, 10)", {11, 12}, 1, 2, 1, 1},
        {__LINE__, "x > 1 ? 3*x : x", {2, 3}, 6, 9, 3, 3},
        {__LINE__, "x > 1 ? x + 9 : x", {0, 2}, 0, 11, 1, INFINITY},
        {__LINE__, "x < 1 ? x + 9 : x", {0, 2}, 0, 11, -INFINITY, 1},
        {__LINE__, "x^1", {-1, 2}, -1, 2, 1, 1},
        {__LINE__, "x^-3", {-2, -1}, -1, -0.125, -3, -0.1875},
        {__LINE__, "x^-2", {-2, -1}, 0.25, 1, 0.25, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_expression *expression = compile(rows[i].text);
        struct wtl_span box[] = {rows[i].x, {5, 7}};
        struct wtl_slope s = wtl_expression_slope(expression, box, 0);
        tap_line = rows[i].line;
        ok(s.defined, "%s has values", rows[i].text);
        ok(fabs(s.value.low - rows[i].low) < 1e-12 && fabs(s.value.high - rows[i].high) < 1e-12,
           "between %g and %g", s.value.low, s.value.high);
        bool low = isinf(rows[i].slope_low) ? s.slope.low == rows[i].slope_low
                                            : fabs(s.slope.low - rows[i].slope_low) < 1e-12;
        bool high = isinf(rows[i].slope_high) ? s.slope.high == rows[i].slope_high
                                              : fabs(s.slope.high - rows[i].slope_high) < 1e-12;
        ok(low && high, "slope between %g and %g", s.slope.low, s.slope.high);
        wtl_expression_destroy(expression);
    }
    tap_line = 0;
    static const char *const without[] = {"log(x)", "sqrt(x)",   "1/x",     "x^-1",
                                          "x^0.5",  "mod(1, x)", "tan(2*x)"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        struct wtl_expression *expression = compile(without[i]);
        struct wtl_span box[] = {{-1, 1}, {5, 7}};
        ok(!wtl_expression_slope(expression, box, 0).defined, "%s has no value somewhere",
           without[i]);
        wtl_expression_destroy(expression);
    }
}

/* ---- random expressions ---- */

static void append(char *text, size_t n, const char *more)
{
    size_t used = strlen(text);
    if (used < n)
        (void)snprintf(text + used, n - used, "%s", more);
}

static void grow(char *text, size_t n, int depth)
{
    static const char *const leaves[] = {"x", "y", "x", "y", "2", "0.5", "3", "-1.5"};
    static const char *const shapes[] = {
        "(@ + @)",      "(@ - @)",       "(@ * @)",        "(@ / @)",      "min(@, @)",
        "max(@, @)",    "sin(@)",        "cos(@)",         "exp(@/8)",     "log(abs(@) + 1)",
        "sqrt(abs(@))", "tanh(@)",       "abs(@)",         "floor(@)",     "ceil(@)",
        "step(@)",      "(@)^2",         "(@)^3",          "(@)^-1",       "abs(@)^1.5",
        "(@ < @)",      "(@ >= @)",      "(@ > @ && @)",   "(@ ? @ : @)",  "clamp(@, -2, @)",
        "mod(@, 3)",    "mod(@, @)",     "-(@)",           "!(@)",         "(abs(@)+1)^(@/4)",
        "log10(@)",     "(@ || @ <= @)", "square(@,4,.5)", "(@ == @) * @", "sqrt(@)",
    };
    if (depth == 0) {
        append(text, n, leaves[(size_t)uniform(0, 7.999)]);
        return;
    }
    const size_t count = sizeof shapes / sizeof *shapes;
    const char *shape = shapes[(size_t)uniform(0, (double)count - 1e-9)];
    for (; *shape; shape++) {
        if (*shape == '@')
            grow(text, n, uniform(0, 1) < 0.3 ? 0 : depth - 1);
        else
            append(text, n, (const char[]){*shape, '\0'});
    }
}

/* Is it within, up to rounding? */
static bool is_within(double value, struct wtl_span span)
{
    double slack = 1e-9 * fmax(fabs(value), 1);
    return value >= span.low - slack && value <= span.high + slack;
}

/* Two points of the box that differ in one variable. False if they exceed the bounds. */
static bool holds(const struct wtl_expression *expression,
                  const struct wtl_span *box,
                  unsigned v,
                  const struct wtl_slope *bounds)
{
    double at[2] = {uniform(box[0].low, box[0].high), uniform(box[1].low, box[1].high)};
    double here = wtl_expression_value(expression, at), from = at[v];
    at[v] =
        uniform(0, 1) < 0.5 ? uniform(box[v].low, box[v].high) : from + 1e-4 * (box[v].high - from);
    double there = wtl_expression_value(expression, at), step = at[v] - from;
    if (!isfinite(here) || !isfinite(there))
        return !isnan(here) && !isnan(there);
    bool good = is_within(here, bounds->value) && is_within(there, bounds->value);
    double rounding = 1e-12 * fmax(fabs(here), 1);
    if (fabs(step) * 1e-3 > rounding) {
        double quotient = (there - here) / step, noise = rounding / fabs(step);
        good = good && quotient >= bounds->slope.low - noise - 1e-6 * fabs(bounds->slope.low) &&
               quotient <= bounds->slope.high + noise + 1e-6 * fabs(bounds->slope.high);
    }
    return good;
}

static void test_random(void)
{
    int defined = 0, decided = 0, outside = 0;
    for (int round = 0; round < 4000; round++) {
        char text[400] = "";
        grow(text, sizeof text, 3);
        struct wtl_expression *expression = NULL;
        if (strlen(text) + 1 >= sizeof text ||
            wtl_expression_compile(text, names, 2, &expression, NULL) < 0)
            continue;
        double width = exp(uniform(-6, 1));
        struct wtl_span box[2];
        for (int v = 0; v < 2; v++) {
            box[v].low = uniform(-4, 4);
            box[v].high = box[v].low + width;
        }
        for (unsigned v = 0; v < 2; v++) {
            struct wtl_slope bounds = wtl_expression_slope(expression, box, v);
            bool good = true;
            defined += bounds.defined;
            decided += bounds.defined && (bounds.slope.low >= 0 || bounds.slope.high <= 0);
            for (int i = 0; bounds.defined && good && i < 60; i++)
                good = holds(expression, box, v, &bounds);
            if (!good && outside++ < 5)
                diag("%s by %s over x %.17g..%.17g, y %.17g..%.17g: value %g..%g, slope %g..%g",
                     text, names[v], box[0].low, box[0].high, box[1].low, box[1].high,
                     bounds.value.low, bounds.value.high, bounds.slope.low, bounds.slope.high);
        }
        wtl_expression_destroy(expression);
    }
    is_int(outside, 0, "no value or slope of random expressions is outside of its bounds");
    ok(defined > 3000, "of %d bounds", defined);
    ok(decided > 1500, "of which %d say in which direction it goes", decided);
}

int main(void)
{
    test_known();
    test_random();
    return done_testing();
}
