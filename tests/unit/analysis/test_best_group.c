/* SPDX-License-Identifier: BSD-3-Clause */
/* The group of settings that cannot be told from the best: published critical values, closed forms, coverage. */
#include "analysis/sweep/best_group.h"

#include <errno.h>
#include <math.h>

#include "base/random.h"
#include "tap.h"

/* One-sided 5 % points of C. W. Dunnett's tables (JASA 50, 1955; Biometrics 20, 1964). */
static void check_critical(void)
{
    static const struct {
        size_t n;
        double df, value;
    } rows[] = {
        {1, 5, 2.02},  {2, 5, 2.44},        {3, 5, 2.68},        {5, 5, 2.98},
        {9, 5, 3.29},  {1, 10, 1.81},       {2, 10, 2.15},       {3, 10, 2.34},
        {5, 10, 2.56}, {9, 10, 2.81},       {2, 20, 2.03},       {5, 20, 2.39},
        {9, 20, 2.60}, {2, INFINITY, 1.92}, {5, INFINITY, 2.23}, {9, INFINITY, 2.42},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is_double(wtl_dunnett_critical(rows[i].n, rows[i].df, 0.05), rows[i].value, 0.012,
                  "%zu comparisons, %g degrees of freedom", rows[i].n, rows[i].df);
    ok(isnan(wtl_dunnett_critical(0, 5, 0.05)), "nothing to compare");
}

static void check_exact(void)
{
    /* Block 2 is 10 % above block 1 in all settings: nothing varies within the blocks. */
    const double exact[] = {100, 90, 120, 110, 99, 132};
    struct wtl_sweep_costs costs = {.values = exact, .blocks = 2, .settings = 3, .alpha = 0.05};
    struct wtl_best_group group;
    is_int(wtl_best_group_find(&costs, &group), 0, "two blocks of three");
    is_int((long)group.best, 1, "the least mean");
    is_int((long)group.size, 1, "without noise it is alone");
    is_double(group.mean[1], 90 * sqrt(1.1), 1e-9, "geometric mean");
    const double resolution[] = {0.06, 0.06, 0.06};
    costs.resolution = resolution;
    is_int(wtl_best_group_find(&costs, &group), 0, "sensors of 6 %%");
    is_int(group.in[0], 0, "log(100/90) = 10.5 %% is more than 8.5 %%");
    costs.blocks = 1;
    is_int(wtl_best_group_find(&costs, &group), 0, "one block");
    is_int((long)group.size, 3, "tells nothing apart");
    ok(isnan(group.log_sd), "and has no variation");
    const double equal[] = {5, 5, 5, 5, 5, 5};
    costs = (struct wtl_sweep_costs){.values = equal, .blocks = 2, .settings = 3, .alpha = 0.05};
    is_int(wtl_best_group_find(&costs, &group), 0, "equal energies");
    is_int((long)group.size, 3, "are all the best");
    const double bad[] = {5, 0, 5, 5, 5, NAN};
    costs.values = bad;
    is_int(wtl_best_group_find(&costs, &group), -EINVAL, "a cost of 0");
    costs.values = exact;
    costs.settings = 1;
    costs.blocks = 6;
    is_int(wtl_best_group_find(&costs, &group), 0, "one setting");
    is_int((long)group.size, 1, "is the best");
}

/* The least favourable case, all settings alike: the first one is excluded in 5 % at most. */
static void check_coverage(void)
{
    enum { SWEEPS = 2000, SETTINGS = 8, BLOCKS = 4 };
    unsigned covered = 0;
    double critical = wtl_dunnett_critical(SETTINGS - 1, (SETTINGS - 1) * (BLOCKS - 1), 0.05);
    for (uint64_t i = 0; i < SWEEPS; i++) {
        double values[BLOCKS * SETTINGS];
        struct wtl_sweep_costs costs = {.values = values,
                                        .blocks = BLOCKS,
                                        .settings = SETTINGS,
                                        .alpha = 0.05,
                                        .critical = critical};
        struct wtl_best_group group;
        for (uint64_t k = 0; k < BLOCKS * SETTINGS; k++)
            values[k] = 100 * exp(0.02 * wtl_random_normal(i, k) +
                                  0.05 * wtl_random_normal(~i, k / SETTINGS));
        (void)wtl_best_group_find(&costs, &group);
        covered += group.in[0];
    }
    double part = (double)covered / SWEEPS;
    ok(part >= 0.935 && part <= 0.965, "the true best is in %.1f %% of groups", 100 * part);
}

int main(void)
{
    check_critical();
    check_exact();
    check_coverage();
    return done_testing();
}
