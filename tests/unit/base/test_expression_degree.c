/* SPDX-License-Identifier: BSD-3-Clause */
/* The degree of an expression: computed manually, and by scaling its variables. */
#include "base/expression/expression_degree.h"

#include <math.h>

#include "tap.h"

static const char *const names[] = {"E", "t"};

int main(void)
{
    static const struct {
        int line;
        const char *text;
        double h; /* NaN = none */
    } rows[] = {
        {__LINE__, "E", 1},
        {__LINE__, "E*t^2", 3},
        {__LINE__, "E*t^2*7 - 0", 3},
        {__LINE__, "E^0.5*t", 1.5},
        {__LINE__, "E/t", 0},
        {__LINE__, "E + 300*t", 1},
        {__LINE__, "E*t + t^2 - 3*E^2", 2},
        {__LINE__, "sqrt(E^2 + (300*t)^2)", 1},
        {__LINE__, "(E^3 + t^3)^(1/3)", 1},
        {__LINE__, "1/(1/E + 1/t)", 1},
        {__LINE__, "abs(-E)", 1},
        {__LINE__, "max(E, 200*t)", 1},
        {__LINE__, "max(E, 0)", 1},
        {__LINE__, "clamp(E, 100*t, 300*t)", 1},
        {__LINE__, "E > 200*t ? E : 200*t", 1},
        {__LINE__, "E*sin(E/t)", 1},
        {__LINE__, "t*(E/t)^(E/t)", 1},
        {__LINE__, "t*step(E - 100*t)", 1},
        {__LINE__, "t*(E > 1*t && t > 0)", 1},
        {__LINE__, "mod(E, t)", 1},
        {__LINE__, "t*floor(E/t)", 1},
        {__LINE__, "t*square(E, t, 0.5)", 1},
        {__LINE__, "E + 1", NAN},
        {__LINE__, "E*t + t", NAN},
        {__LINE__, "E + t^2", NAN},
        {__LINE__, "exp(t)", NAN},
        {__LINE__, "E*step(t - 10)", NAN},
        {__LINE__, "E*(t > 10)", NAN},
        {__LINE__, "min(E, 100)*t", NAN},
        {__LINE__, "floor(E)", NAN},
        {__LINE__, "t^(E/t)", NAN},
        {__LINE__, "square(t, 10, 0.5)*E", NAN},
        {__LINE__, "mod(t, 10)", NAN},
        {__LINE__, "0*E", NAN},
        {__LINE__, "E/0", NAN},
        {__LINE__, "E*t^1e200^2", NAN},
        {__LINE__, "E*1e200^2", NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_expression *expression = NULL;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(wtl_expression_compile(rows[i].text, names, 2, &expression, &err), 0, "%s %s",
               rows[i].text, err.text);
        double h = wtl_expression_degree(expression);
        ok(isnan(rows[i].h) ? isnan(h) : fabs(h - rows[i].h) < 1e-12, "%s: degree %g", rows[i].text,
           h);
        for (int k = 1; !isnan(h) && k <= 40; k++) {
            double s = 0.13 * k, e = 1000.0 / k, t = 3.7 * k;
            double here = wtl_expression_value(expression, (double[]){e, t});
            double there = wtl_expression_value(expression, (double[]){s * e, s * t});
            if (isinf(here) || isinf(there))
                continue;
            if (!(fabs(there - pow(s, h) * here) <= 1e-9 * fabs(there) + 1e-9 * pow(s, h) * t))
                ok(false, "%s scales by %g: %.17g, %.17g", rows[i].text, s, here, there);
        }
        wtl_expression_destroy(expression);
    }
    tap_line = 0;
    return done_testing();
}
