/* SPDX-License-Identifier: BSD-3-Clause */
/* Mann and Kendall's test against scores computed with numpy, and its rate of false alarms. */
#include <math.h>

#include "analysis/compare/drift.h"

#include "simulated_runs.h"
#include "tap.h"

static void test_worked_out(void)
{
    static const double rising[] = {1, 2, 3, 2, 4, 6, 5, 7}, falling[] = {5, 4, 4, 4, 3};
    struct wtl_drift drift;
    is_int(wtl_drift_of(rising, 8, NULL, 0, &drift), 0, "one side");
    is_double(drift.p, 0.00609054605657881, 1e-12, "p with a tie");
    is_double(drift.per_run, 0.28356884211251626, 1e-12, "slope");
    is_int(wtl_drift_of(falling, 5, NULL, 0, &drift), 0, "the other");
    is_double(drift.p, 0.0960923294556733, 1e-12, "p with three equal");
    is_int(wtl_drift_of(rising, 8, falling, 5, &drift), 0, "both");
    is_double(drift.p, 0.0880601127095626, 1e-12, "scores and variances add");
    static const double same[] = {3, 3, 3, 3, 3}, odd[] = {1, 0, 2, 4};
    is_int(wtl_drift_of(same, 5, same, 5, &drift), 0, "no variation");
    ok(drift.p == 1 && drift.per_run == 0, "is no drift");
    is_int(wtl_drift_of(odd, 4, NULL, 0, &drift), 0, "a value of 0");
    ok(isnan(drift.per_run) && !isnan(drift.p), "has no relative slope");
    is_int(wtl_drift_of(rising, 3, falling, 3, &drift), 0, "three");
    ok(isnan(drift.p), "are too few");
}

/* Against numpy.linalg.lstsq of the logarithms on side and instant. */
static void test_allowed(void)
{
    static const double a[] = {100.2, 101.1, 101.4, 101.7, 102.1};
    static const double b[] = {104.2, 104.8, 105.1, 105.0, 106.7};
    static const double a_when[] = {0, 1, 2, 3, 4}, b_when[] = {5, 6.5, 7, 8, 9};
    static const double turns_a[] = {0, 3, 4, 7, 8}, turns_b[] = {1, 2, 5, 6, 9};
    is_double(wtl_drift_allowed_p(a, a_when, 5, b, b_when, 5), 0.021021276185262797, 1e-12,
              "A, then B");
    is_double(wtl_drift_allowed_p(a, turns_a, 5, b, turns_b, 5), 2.1917871415094564e-07, 1e-12,
              "taking turns");
    ok(isnan(wtl_drift_allowed_p(a, a_when, 1, b, b_when, 2)), "too few");
    static const double zero[] = {1, 0, 1, 1, 1}, once[] = {1, 1, 1, 1, 1};
    ok(isnan(wtl_drift_allowed_p(zero, a_when, 5, b, b_when, 5)), "a value of 0");
    ok(isnan(wtl_drift_allowed_p(a, once, 5, b, once, 5)), "all at the same instant");
    is_double(wtl_drift_allowed_p(once, a_when, 5, once, b_when, 5), 1, 0, "all the same");
}

static void test_rates(void)
{
    enum { WORLDS = 3000, N = 10 };
    size_t alarms = 0, found = 0;
    for (size_t world = 0; world < WORLDS; world++) {
        double a[N], b[N];
        struct wtl_drift still, drifting;
        simulated_runs(a, N, 100, 0.01, wtl_random_bits(31, world));
        simulated_runs(b, N, 130, 0.01, wtl_random_bits(32, world));
        if (wtl_drift_of(a, N, b, N, &still) < 0)
            break;
        for (size_t i = 0; i < N; i++) {
            a[i] *= 1 + 0.003 * (double)i;
            b[i] *= 1 + 0.003 * (double)i;
        }
        if (wtl_drift_of(a, N, b, N, &drifting) < 0)
            break;
        alarms += still.p < 0.05;
        found += drifting.p < 0.05;
    }
    diag("false alarms %.3f, 0.3 %% a run found %.3f", (double)alarms / WORLDS,
         (double)found / WORLDS);
    ok((double)alarms <= WORLDS * (0.05 + 4 * sqrt(0.05 * 0.95 / WORLDS)), "false alarms <= 5 %%");
    ok((double)found > 0.8 * WORLDS, "drift is found");
}

int main(void)
{
    test_worked_out();
    test_allowed();
    test_rates();
    return done_testing();
}
