/* SPDX-License-Identifier: BSD-3-Clause */
/* Spread over runs compared with manually computed values and with Student's density,
 * integrated. */
#include <math.h>

#include "model/statistics/spread.h"

#include "tap.h"

/* Probability below t with nu degrees of freedom, by Simpson's rule from 0. */
static double student_cdf(double t, double nu)
{
    enum { STEPS = 20000 };
    double constant = exp(lgamma((nu + 1) / 2) - lgamma(nu / 2)) / sqrt(nu * acos(-1.0));
    double h = t / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double x = h * i, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * pow(1 + x * x / nu, -(nu + 1) / 2);
    }
    return 0.5 + constant * sum * h / 3;
}

static void test_quantiles(void)
{
    double values[400];
    bool all = true;
    double worst = 0;
    for (size_t n = 3; n <= 400; n++) {
        for (size_t i = 0; i < n; i++)
            values[i] = (double)(i % 7);
        struct wtl_spread spread = wtl_spread_of(values, n);
        double t = spread.ci95 / spread.sd * sqrt((double)n);
        double off = fabs(student_cdf(t, (double)(n - 1)) - 0.975);
        worst = off > worst ? off : worst;
        all = all && off < 2e-7;
    }
    ok(all, "the interval covers 95 %% of Student's distribution for n = 3 .. 400");
    diag("largest error of the probability: %.3g", worst);
}

int main(void)
{
    static const double four[] = {2, 4, 4, 6};
    struct wtl_spread spread = wtl_spread_of(four, 4);
    is_double(spread.mean, 4, 0, "mean");
    is_double(spread.sd, sqrt(8.0 / 3), 1e-15, "sample standard deviation");
    is_double(spread.ci95, 3.182446 * sqrt(8.0 / 3) / 2, 1e-6, "half width");

    spread = wtl_spread_of(four, 2);
    is_double(spread.sd, sqrt(2.0), 1e-15, "two values have a deviation");
    ok(isnan(spread.ci95), "but no interval");
    spread = wtl_spread_of(four, 1);
    is_double(spread.mean, 2, 0, "one value is its mean");
    ok(isnan(spread.sd) && isnan(spread.ci95), "and has no spread");
    spread = wtl_spread_of(four, 0);
    ok(isnan(spread.mean), "no value has no mean");

    static const double shifted[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    is_double(wtl_spread_of(shifted, 3).sd, 1, 1e-9, "a large common part does not harm");
    static const double unknown[] = {1, NAN, 3};
    ok(isnan(wtl_spread_of(unknown, 3).mean), "an unknown value makes the mean unknown");

    test_quantiles();
    return done_testing();
}
