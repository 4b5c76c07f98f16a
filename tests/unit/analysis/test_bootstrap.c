/* SPDX-License-Identifier: BSD-3-Clause */
/* The bootstrap: reproducible, and close to Student's interval for normally distributed runs. */
#include <math.h>

#include "analysis/compare/bootstrap.h"
#include "analysis/compare/comparison.h"
#include "simulated_runs.h"
#include "tap.h"

int main(void)
{
    double a[40], b[40];
    struct wtl_interval one, two;
    for (size_t i = 0; i < 40; i++) {
        a[i] = 0.01 * simulated_normal(5, i);
        b[i] = 0.03 + 0.01 * simulated_normal(6, i);
    }
    is_int(wtl_bootstrap_ratio(a, 40, b, 40, 78, 7, 4000, &one), 0, "resample");
    is_int(wtl_bootstrap_ratio(a, 40, b, 40, 78, 7, 4000, &two), 0, "again");
    ok(one.low == two.low && one.high == two.high, "the same seed, the same interval");
    is_int(wtl_bootstrap_ratio(a, 40, b, 40, 78, 8, 4000, &two), 0, "another seed");
    ok(one.low != two.low && fabs(one.low / two.low - 1) < 0.001, "another, nearly the same");
    struct wtl_groups groups = {.b = NULL};
    double ea[40], eb[40];
    for (size_t i = 0; i < 40; i++) {
        ea[i] = exp(a[i]);
        eb[i] = exp(b[i]);
    }
    groups = (struct wtl_groups){.a = ea, .b = eb, .a_n = 40, .b_n = 40, .noise = {NAN, NAN}};
    struct wtl_comparison c;
    is_int(wtl_compare(&groups, 7, 4000, &c), 0, "compare");
    is_double(c.bootstrap.low, one.low, 1e-4,
              "the comparison has the same but for Welch's degrees");
    double width = c.ratio.high - c.ratio.low;
    ok(fabs(c.bootstrap.low - c.ratio.low) < 0.1 * width &&
           fabs(c.bootstrap.high - c.ratio.high) < 0.1 * width,
       "near Student's for normal runs: %.5f .. %.5f, %.5f .. %.5f", c.bootstrap.low,
       c.bootstrap.high, c.ratio.low, c.ratio.high);
    is_int(wtl_bootstrap_ratio(a, 40, NULL, 0, 39, 7, 1000, &one), 0, "ratios of pairs");
    ok(one.low < one.value && one.value < one.high, "have an interval");
    a[3] = NAN;
    is_int(wtl_bootstrap_ratio(a, 40, b, 40, 78, 7, 4000, &one), 0, "unknown in");
    ok(isnan(one.value) && isnan(one.low), "unknown out");
    return done_testing();
}
