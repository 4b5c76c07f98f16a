/* SPDX-License-Identifier: BSD-3-Clause */
/* Outliers with Rosner's own example (as in the NIST/SEMATECH e-Handbook, 1.3.5.17.3); warm-up
 * computed manually. */
#include <math.h>

#include "analysis/statistics/description.h"

#include "simulated_runs.h"
#include "tap.h"

static void test_outliers(void)
{
    static const double rosner[] = {
        -0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56,
        1.58,  1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10,
        2.14,  2.15, 2.23, 2.24, 2.26, 2.35, 2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92,
        2.92,  2.93, 3.21, 3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01};
    bool is_outlier[54];
    is_int(wtl_outliers(rosner, 54, is_outlier), 3, "three, as published");
    ok(is_outlier[53] && is_outlier[52] && is_outlier[51] && !is_outlier[50] && !is_outlier[0],
       "the three greatest");
    static const double few[] = {1, 1, 1, 100}, five[] = {1, 1.01, 0.99, 1, 5};
    is_int(wtl_outliers(few, 4, is_outlier), 0, "four runs have none");
    is_int(wtl_outliers(five, 5, is_outlier), 1, "five may have one");
    ok(is_outlier[4], "this one");
    static const double same[] = {2, 2, 2, 2, 2, 2};
    is_int(wtl_outliers(same, 6, is_outlier), 0, "equal runs have none");

    enum { WORLDS = 3000 };
    size_t alarms = 0;
    for (size_t world = 0; world < WORLDS; world++) {
        double values[5];
        simulated_runs(values, 5, 100, 0.01, wtl_random_bits(41, world));
        alarms += wtl_outliers(values, 5, is_outlier) > 0;
    }
    diag("a side of five has one by chance in %.3f", (double)alarms / WORLDS);
    ok(plausible_rate(alarms, WORLDS, 0.05), "in 5 %% of all normal sides");
}

static void test_warm_up(void)
{
    /* 10.9 differs by 0.897 from the mean of the runs after it, whose 99.9 % prediction interval is
     * 0.528. */
    static const double one[] = {10.9, 10.0, 10.1, 9.9, 10.05, 9.95, 10.02};
    static const double two[] = {12, 11, 10.0, 10.1, 9.9, 10.05, 9.95, 10.02};
    static const double late[] = {10.0, 10.1, 9.9, 12, 10.05, 9.95, 10.02, 10.01, 9.98};
    is_int(wtl_warm_up(one, 7), 1, "one run is warm-up");
    is_int(wtl_warm_up(two, 8), 2, "two are");
    is_int(wtl_warm_up(one + 1, 6), 0, "none is");
    is_int(wtl_warm_up(late, 9), 0, "a far run in the middle is none");
    is_int(wtl_warm_up(one, 4), 0, "four must be left");
    static const double same[] = {2, 2, 2, 2, 2, 2};
    is_int(wtl_warm_up(same, 6), 0, "equal runs have none");
    is_int(wtl_warm_up(same, 0), 0, "no runs have none");
}

int main(void)
{
    test_outliers();
    test_warm_up();
    return done_testing();
}
