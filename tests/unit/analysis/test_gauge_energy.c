/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy of a job from a gauge that sees a quarter of the time: exact over phases, and refused where it cannot be known. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/gauge/gauge_energy.h"

#include "gauge_world.h"
#include "tap.h"

static const struct wtl_gauge part_time = {.period = {0.1, 0},
                                           .window = {0.025, 0},
                                           .delay = {0.03, 0},
                                           .tau = {0.05, 0},
                                           .duty = {0.25, 0}};

enum { PASSES = 32 };

/* A job whose power keeps step with the gauge: 20 ms of 300 W in each 100 ms, which one phase sees always and another never. */
static double energy_of_pass(double phase,
                             double after_w,
                             struct wtl_gauge_pass_energy *ret,
                             double *ret_begin)
{
    struct wattle_error err = {""};
    struct gauge_world w = {
        .gauge = {.period_ns = 100000000, .window_ns = 25000000, .delay_ns = 30000000, .seed = 1},
        .tau_rise_s = 0.05,
        .tau_fall_s = 0.05};
    double begin = 5 + 0.1 * phase;
    world_step(&w, 0, 60);
    for (int i = 0; i < 10; i++) {
        world_step(&w, begin + 0.1 * i, 300);
        world_step(&w, begin + 0.1 * i + 0.02, 80);
    }
    world_step(&w, begin + 1, after_w);
    world_read(&w, 3, 9, 0.002);
    struct wtl_gauge_pass pass = {w.readings, w.reading_count, begin, begin + 1};
    double truth = world_joules(&w, begin + 1) - world_joules(&w, begin);
    is_int(wtl_gauge_pass_energy(&part_time, &pass, ret, &err), 0, "a pass: %s", err.text);
    *ret_begin = begin;
    world_fini(&w);
    return truth;
}

static void test_phases(double after_w)
{
    struct wtl_gauge_pass_energy passes[PASSES];
    struct wtl_gauge_value joules;
    struct wattle_error err = {""};
    double truth = 0, least = INFINITY, most = 0, begin;
    for (size_t i = 0; i < PASSES; i++) {
        truth = energy_of_pass(wtl_gauge_phase(3, i), after_w, &passes[i], &begin);
        least = fmin(least, passes[i].joules);
        most = fmax(most, passes[i].joules);
    }
    ok(most - least > 0.15 * truth, "single passes differ: %g to %g J", least, most);
    is_int(wtl_gauge_energy(&part_time, passes, PASSES, &joules, &err), 0, "energy: %s", err.text);
    is_double(joules.value, truth, 0.01 * truth, "all passes, after %g W", after_w);
    ok(fabs(joules.value - truth) <= joules.half + 1e-4 * truth, "within its interval of %g J",
       joules.half);
    is_int(wtl_gauge_energy(&part_time, passes, 11, &joules, &err), -ENODATA, "too few passes: %s",
           err.text);
    ok(isnan(joules.value), "no value then");
    struct wtl_gauge crooked = part_time;
    crooked.excess = (struct wtl_gauge_value){0.01, 0.001};
    is_int(wtl_gauge_energy(&crooked, passes, PASSES, &joules, &err), 0, "1 %% not linear");
    ok(joules.half > 0.001 * truth, "widens the interval: %g of %g J", joules.half, truth);
    crooked.excess.value = -0.03;
    is_int(wtl_gauge_energy(&crooked, passes, PASSES, &joules, &err), -ENODATA, "3 %%: %s",
           err.text);
}

static void test_plan(void)
{
    bool spread = true;
    for (size_t i = 0; i < 40; i++) {
        double step = wtl_gauge_phase(9, i + 1) - wtl_gauge_phase(9, i);
        if (i % WTL_GAUGE_BLOCK != WTL_GAUGE_BLOCK - 1)
            spread &= fabs(step - floor(step) - 0.25) < 1e-9;
    }
    ok(spread, "the phases of a block are a quarter of a period apart");
    ok(wtl_gauge_phase(9, 0) != wtl_gauge_phase(9, 4), "blocks start anywhere");
    is_double(wtl_gauge_lag_s(&part_time), 0.03 + 0.0125 + 0.05 + 0.05, 1e-12, "lag");
}

static void test_refusals(void)
{
    struct wtl_gauge_pass_energy energy;
    struct wattle_error err = {""};
    struct wtl_gauge_reading readings[400];
    for (size_t i = 0; i < 400; i++)
        readings[i] = (struct wtl_gauge_reading){0.01 * (double)i, 60};
    struct wtl_gauge_pass pass = {readings, 400, 0.05, 1};
    is_int(wtl_gauge_pass_energy(&part_time, &pass, &energy, &err), -ENODATA, "before: %s",
           err.text);
    pass.begin_s = 1;
    pass.end_s = 3.5;
    is_int(wtl_gauge_pass_energy(&part_time, &pass, &energy, &err), -ENODATA, "after: %s",
           err.text);
    pass.end_s = 2;
    is_int(wtl_gauge_pass_energy(&part_time, &pass, &energy, &err), 0, "enough");
    is_double(energy.joules, 60, 1e-9, "constant power");
    readings[150].time_s = 1.4;
    for (size_t i = 150; i < 400; i++)
        readings[i].time_s += 0.1;
    is_int(wtl_gauge_pass_energy(&part_time, &pass, &energy, &err), -ENODATA, "a gap: %s",
           err.text);
}

static void test_bound(void)
{
    struct wtl_gauge_value joules;
    struct wattle_error err = {""};
    struct wtl_gauge_bounds bounds = {50, 0.25, 0.75, 40, 400};
    is_int(wtl_gauge_bound(&bounds, &joules, &err), 0, "bound");
    is_double(joules.value, 50 + 0.75 * 220, 1e-9, "the middle of what is possible");
    is_double(joules.half, 0.75 * 180, 1e-9, "and its half");
    bounds.ceiling_w = NAN;
    is_int(wtl_gauge_bound(&bounds, &joules, &err), -ENODATA, "no bound: %s", err.text);
    bounds.unseen_s = 0;
    is_int(wtl_gauge_bound(&bounds, &joules, &err), 0, "all seen");
    is_double(joules.value, 50, 1e-9, "is what was seen");
}

int main(void)
{
    test_plan();
    test_phases(60);
    test_phases(80);
    test_refusals();
    test_bound();
    return done_testing();
}
