/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy against time per setting: closed forms of a program whose time is a + b/f and power s + c f^3. */
#include "analysis/sweep/sweep.h"

#include <errno.h>
#include <math.h>

#include "base/random.h"
#include "tap.h"

enum { SETTINGS = 12, BLOCKS = 3 };

static double ghz_of(size_t i)
{
    return 1.2 + 0.1 * (double)i;
}

static double time_of(size_t i)
{
    return 100 * 2.3 / ghz_of(i);
}

/* Whole node: 60 W that do not depend on f; the package sees 10 of them. */
static double power_of(size_t i, double fixed_w)
{
    return fixed_w + 8 * pow(ghz_of(i), 3);
}

static void fill(struct wtl_sweep *sweep, double noise)
{
    *sweep = (struct wtl_sweep){.slowdown = 0.1, .metric = "EDS:2,60"};
    is_int(wtl_sweep_init(sweep, SETTINGS, BLOCKS), 0, "room");
    struct wtl_sweep_curve *total = wtl_sweep_curve(sweep, "total");
    struct wtl_sweep_curve *package = wtl_sweep_curve(sweep, "package-0");
    total = wtl_sweep_curve(sweep, "total"); /* the list has moved */
    package->partial = true;
    for (size_t b = 0; b < BLOCKS; b++) {
        for (size_t i = 0; i < SETTINGS; i++) {
            size_t at = b * SETTINGS + i;
            sweep->time_s[at] = time_of(i);
            double common = exp(noise * wtl_random_normal(5, at));
            total->energy_j[at] = power_of(i, 60) * time_of(i) * common;
            package->energy_j[at] = power_of(i, 10) * time_of(i) * common;
        }
    }
}

/* The minimum of (s + 8 f^3) / f is at f = cbrt(s / 16). */
static void check_optimum(void)
{
    struct wtl_sweep sweep;
    struct wattle_error err = {""};
    fill(&sweep, 0);
    is_int(wtl_sweep_judge(&sweep, &err), 0, "judged %s", err.text);
    const struct wtl_sweep_curve *total = &sweep.curves[0], *package = &sweep.curves[1];
    is_int((long)sweep.fastest, SETTINGS - 1, "the fastest");
    is_double(ghz_of(total->goals[0].group.best), 1.6, 1e-9, "energy: cbrt(60/16) = 1.55 GHz");
    is_double(ghz_of(package->goals[0].group.best), 1.2, 1e-9,
              "a partial counter leans to the lowest: cbrt(10/16) = 0.85 GHz");
    /* E t ~ (s + 8 f^3) / f^2: f = cbrt(s / 4) = 2.47; E t^2: no minimum below 2.3. */
    is_str(total->goals[1].name, "EDP", "second goal");
    is_double(ghz_of(total->goals[1].group.best), 2.3, 1e-9, "EDP: cbrt(60/4) = 2.47 GHz");
    is_double(ghz_of(total->goals[2].group.best), 2.3, 1e-9, "ED2P");
    is_double(total->goals[0].slower, 2.3 / 1.6 - 1, 1e-9, "slower than the fastest");
    is_double(total->goals[0].saves,
              1 - power_of(4, 60) * time_of(4) / (power_of(11, 60) * time_of(11)), 1e-9, "saves");
    is_str(total->goals[4].name, "within 10%", "least energy at most 10 %% slower");
    is_double(ghz_of(total->goals[4].group.best), 2.1, 1e-9, "2.3/2.1 = 1.095");
    /* 2 E + 60 t ~ (2 s + 60 + 16 f^3) / f: f = cbrt(180 / 32). */
    is_double(ghz_of(total->goals[5].group.best), 1.8, 1e-9, "EDS as given: cbrt(180/32) = 1.78");
    is_int((long)total->goals[0].group.size, 1, "without noise the best is alone");
    for (size_t i = 0; i < SETTINGS; i++)
        ok(total->points[i].pareto == (i >= 4), "%.1f GHz is%s on the front", ghz_of(i),
           i >= 4 ? "" : " not");
    wtl_sweep_fini(&sweep);
}

/* The package's 10 W and the 50 W that it does not measure are the node's 60 W. */
static void check_unmeasured(void)
{
    struct wtl_sweep sweep;
    fill(&sweep, 0);
    (void)wtl_sweep_judge(&sweep, NULL);
    const struct wtl_sweep_curve *package = &sweep.curves[1];
    is_int((long)package->stages[0].setting, 0, "with nothing else: the lowest");
    for (double watts = 0; watts < 400; watts += 7.3) {
        size_t best = 0;
        for (size_t i = 1; i < SETTINGS; i++) {
            if ((power_of(i, 10) + watts) * time_of(i) <
                (power_of(best, 10) + watts) * time_of(best))
                best = i;
        }
        is_int((long)wtl_sweep_best_with(package, watts), (long)best, "with %.1f W more", watts);
    }
    is_int((long)wtl_sweep_best_with(package, 50), (long)sweep.curves[0].goals[0].group.best,
           "with what it does not measure: the node's");
    is_int((long)wtl_sweep_best_with(package, 1e9), (long)sweep.fastest, "in the end: the fastest");
    wtl_sweep_fini(&sweep);
}

static void check_gaps(void)
{
    struct wtl_sweep sweep;
    struct wattle_error err = {""};
    fill(&sweep, 0.003);
    sweep.curves[1].energy_j[1 * SETTINGS + 3] = NAN;
    is_int(wtl_sweep_judge(&sweep, &err), 0, "a gap in one sensor");
    is_int((long)sweep.whole, BLOCKS, "all blocks have their runs");
    is_int((long)sweep.curves[0].blocks, BLOCKS, "the other sensor keeps them");
    is_int((long)sweep.curves[1].blocks, BLOCKS - 1, "this one loses a block");
    ok(sweep.curves[0].goals[0].group.size > 1, "with noise there is a group");
    ok(sweep.curves[0].points[4].low_j < sweep.curves[0].points[4].high_j, "and intervals");
    sweep.time_s[0] = NAN;
    is_int(wtl_sweep_judge(&sweep, &err), 0, "a run is missing");
    is_int((long)sweep.whole, BLOCKS - 1, "its block is left out");
    snprintf(sweep.settings[0].refused, sizeof sweep.settings[0].refused, "not offered");
    is_int(wtl_sweep_judge(&sweep, &err), 0, "the setting is refused");
    is_int((long)sweep.whole, BLOCKS, "and keeps nobody out");
    is_int((long)sweep.measured, SETTINGS - 1, "one setting less");
    ok(!sweep.curves[0].goals[0].group.in[0] && isnan(sweep.curves[0].points[0].energy_j),
       "nothing is known of it");
    for (size_t b = 0; b < BLOCKS; b++)
        sweep.time_s[b * SETTINGS + 5] = NAN;
    is_int(wtl_sweep_judge(&sweep, &err), -ENODATA, "no whole block");
    sweep.metric = "E*";
    for (size_t b = 0; b < BLOCKS; b++)
        sweep.time_s[b * SETTINGS + 5] = 1;
    is_int(wtl_sweep_judge(&sweep, &err), -EINVAL, "a metric that is none: %s", err.text);
    wtl_sweep_fini(&sweep);
}

/* A sensor that is missing in some runs changes what the total is: such runs are no runs of the other total. */
static void check_totals(void)
{
    struct wtl_sweep sweep;
    struct wattle_error err = {""};
    fill(&sweep, 0);
    wtl_sweep_total(&sweep, "core + dram")->energy_j[0] = 4;
    for (size_t at = 1; at < BLOCKS * SETTINGS; at++)
        wtl_sweep_total(&sweep, "package + dram")->energy_j[at] = 10;
    is_int((long)sweep.curve_count, 4, "two sensors, two totals");
    for (unsigned i = 0; i < 3; i++)
        (void)wtl_sweep_flag(&sweep, i == 1 ? "CAPPED" : "NOT ALONE");
    is_int((long)sweep.flag_count, 2, "two flags");
    is_int((long)sweep.flags[0].runs, 2, "the first in two runs");
    is_int(wtl_sweep_judge(&sweep, &err), 0, "judged %s", err.text);
    is_int((long)sweep.curve_count, 3, "one total is left");
    is_str(sweep.curves[0].contains, "package + dram", "that of most runs");
    is_double(sweep.curves[0].points[0].energy_j, 10, 1e-9, "with its own energy only");
    is_int((long)sweep.curves[0].blocks, BLOCKS - 1, "the block with the other is left out");
    is_int((long)sweep.other_totals, 1, "which is told");
    wtl_sweep_fini(&sweep);
}

/* By a gauge that may miss the difference no setting is the best. */
static void check_open(void)
{
    static struct wtl_sweep sweep;
    fill(&sweep, 0.003);
    (void)snprintf(sweep.curves[0].open, sizeof sweep.curves[0].open, "it sees 25 %% of the time");
    (void)wtl_sweep_judge(&sweep, NULL);
    is_int((int)sweep.curves[0].goal_count, 0, "no goals");
    is_int((int)sweep.curves[0].stage_count, 0, "no stages");
    for (size_t i = 0; i < sweep.setting_count; i++)
        ok(!sweep.curves[0].points[i].pareto, "%zu is on no front", i);
    wtl_sweep_fini(&sweep);
}

/* An estimate between half and three times of it, with equal runs: their spread says nothing of the model's error. */
static void check_estimate(void)
{
    static struct wtl_sweep sweep;
    fill(&sweep, 0);
    struct wtl_sweep_curve *total = &sweep.curves[0];
    total->quality = WATTLE_ESTIMATED;
    for (size_t at = 0; at < BLOCKS * SETTINGS; at++) {
        total->low_j[at] = total->energy_j[at] / 2;
        total->high_j[at] = 3 * total->energy_j[at];
    }
    (void)wtl_sweep_judge(&sweep, NULL);
    const struct wtl_sweep_point *point = &sweep.curves[0].points[2];
    is_double(point->low_j, point->energy_j / 2, 1e-9, "the interval is that of its model");
    is_double(point->high_j, 3 * point->energy_j, 1e-9, "at both ends");
    sweep.curves[0].low_j[2] = NAN;
    (void)wtl_sweep_judge(&sweep, NULL);
    ok(isnan(sweep.curves[0].points[2].low_j), "of which nothing is known: none");
    ok(wtl_sweep_is_whole(&sweep, &sweep.curves[0], 0), "a whole block");
    sweep.curves[0].energy_j[1] = NAN;
    ok(!wtl_sweep_is_whole(&sweep, &sweep.curves[0], 0), "one with a gap");
    ok(wtl_sweep_is_whole(&sweep, NULL, 0), "whose times are whole");
    wtl_sweep_fini(&sweep);
}

int main(void)
{
    check_estimate();
    check_open();
    check_totals();
    check_optimum();
    check_unmeasured();
    check_gaps();
    return done_testing();
}
