/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Student's t through the incomplete beta function: a two-sided probability is I_x(df/2, 1/2) with x = df /
 * (df + t^2) (Abramowitz and Stegun 26.7.1). I_x is the continued fraction 8.17.22 of the NIST Handbook
 * (dlmf.nist.gov), evaluated from its end, on the side of x where it converges fast. Quantiles are found by
 * Newton's method in the upper half, where the probability is concave: from below it only increases, and
 * never overshoots. Student's quantiles are above the normal ones.
 */
#define _GNU_SOURCE
#include "model/statistics/student.h"

#include <math.h>
#include <stdbool.h>

enum { STEPS = 400 };

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* log(gamma(x + 1/2) / gamma(x)); the difference of the two logarithms loses digits at large x. */
static double log_gamma_half_step(double x)
{
    if (x < 1e4)
        return log_gamma(x + 0.5) - log_gamma(x);
    return 0.5 * log(x) - 1 / (8 * x) + 1 / (192 * x * x * x);
}

/* I_x(a, b) where its fraction converges fast: x < (a + 1) / (a + b + 2). front is x^a (1 - x)^b / B(a,
 * b), the same for both sides of x. */
static double beta_below(double a, double b, double x, double front)
{
    double f = 1;
    int terms = 40 + (int)fmin(4 * sqrt(fmax(a, b)), 400);
    for (int k = terms; k >= 1; k--) {
        int half = k / 2;
        double m = half;
        double up = k % 2 ? -(a + m) * (a + b + m) : m * (b - m);
        f = 1 + up * x / ((a + k - 1) * (a + k)) / f;
    }
    return front / (a * f);
}

double wtl_student_two_sided(double t, double df)
{
    if (!(df > 0) || isnan(t))
        return NAN;
    double a = df / 2, y_by_x = t * t / df;
    if (y_by_x == 0 || isinf(y_by_x))
        return y_by_x == 0 ? 1 : 0;
    double x = 1 / (1 + y_by_x), y = y_by_x / (1 + y_by_x);
    double log_beta = 0.5 * log(acos(-1.0)) - log_gamma_half_step(a);
    /* x is almost 1 for many degrees of freedom, so its logarithm is not computed from it. */
    double front = exp(0.5 * log(y_by_x) - (a + 0.5) * log1p(y_by_x) - log_beta);
    if (x < (a + 1) / (a + 2.5))
        return beta_below(a, 0.5, x, front);
    return 1 - beta_below(0.5, a, y, front);
}

double wtl_student_probability(double t, double df)
{
    double tail = wtl_student_two_sided(t, df) / 2;
    return t > 0 ? 1 - tail : tail;
}

double wtl_normal_probability(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

/* Newton in the upper half; df infinite is the normal distribution. p >= 1/2. */
static double upper_quantile(double p, double df)
{
    bool normal = isinf(df);
    double x = normal ? 0 : upper_quantile(p, INFINITY), tail = 1 - p;
    double scale = normal ? -0.5 * log(2 * acos(-1.0))
                          : log_gamma_half_step(df / 2) - 0.5 * log(df * acos(-1.0));
    for (int i = 0; i < STEPS; i++) {
        double above = normal ? 0.5 * erfc(x * sqrt(0.5)) : wtl_student_two_sided(x, df) / 2;
        double density = exp(scale - (normal ? 0.5 * x * x : (df + 1) / 2 * log1p(x * x / df)));
        double step = (above - tail) / density;
        x += step;
        if (!(fabs(step) > 1e-14 * x))
            break;
    }
    return x;
}

double wtl_student_quantile(double p, double df)
{
    if (!(p > 0 && p < 1) || !(df > 0))
        return NAN;
    return p < 0.5 ? -upper_quantile(1 - p, df) : upper_quantile(p, df);
}

double wtl_normal_quantile(double p)
{
    return wtl_student_quantile(p, INFINITY);
}
