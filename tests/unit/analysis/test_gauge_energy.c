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

/* ---- series, with the start of each pass as the command chooses it ---- */

struct series {
    const char *name;
    double period_s, window_s, delay_s, tau_s;
    double on_s, rhythm_s;  /* power of the job: on for so long in each rhythm */
    double least_s, most_s; /* its duration varies between these */
    double late_s;          /* mean time from the start until it works */
    double missed;          /* part of the readings that are missing */
    double after_w;         /* idle power after it; 50 W before */
    size_t passes;
};

static double draw(uint64_t seed, uint64_t n)
{
    return wtl_random_uniform(seed, n);
}

/* One pass that may start from now on; moves now behind it. Returns its true energy. */
static double pass_of(const struct series *s,
                      uint64_t seed,
                      size_t i,
                      uint64_t *anchor_ns,
                      double *now_s,
                      struct wtl_gauge_pass_energy *ret)
{
    struct wtl_gauge gauge = {.period = {s->period_s, 0},
                              .window = {s->window_s, 0},
                              .delay = {s->delay_s, 0},
                              .tau = {s->tau_s, 0}};
    struct gauge_world w = {.gauge = {.period_ns = (uint64_t)(s->period_s * 1e9),
                                      .phase_ns = (uint64_t)(draw(seed, 1) * s->period_s * 1e9),
                                      .window_ns = (uint64_t)(s->window_s * 1e9),
                                      .delay_ns = (uint64_t)(s->delay_s * 1e9),
                                      .seed = wtl_random_bits(seed, 100 + i)},
                            .tau_rise_s = s->tau_s,
                            .tau_fall_s = s->tau_s};
    double from_s = *now_s, idle_s = 2 * s->period_s, settling_s = wtl_gauge_settling_s(&gauge);
    double begin_s = 1e-9 * (double)wtl_gauge_start_ns(seed, i, s->period_s, anchor_ns,
                                                       (uint64_t)((from_s + idle_s) * 1e9));
    double works_s = begin_s + s->late_s * wtl_random_exponential(seed, 200 + i);
    double end_s = works_s + s->least_s + (s->most_s - s->least_s) * draw(seed, 300 + i);
    world_step(&w, 0, 50);
    for (double at_s = works_s; at_s < end_s; at_s += s->rhythm_s) {
        world_step(&w, at_s, 300);
        if (at_s + s->on_s < end_s)
            world_step(&w, at_s + s->on_s, 50);
    }
    world_step(&w, end_s, s->after_w);
    world_read(&w, from_s, end_s + settling_s + idle_s + 0.001, s->period_s / 10);
    size_t kept = 0;
    for (size_t k = 0; k < w.reading_count; k++) {
        bool lost = k > 0 && k + 1 < w.reading_count && draw(seed, 10000 * (i + 1) + k) < s->missed;
        w.readings[kept] = w.readings[k];
        kept += !lost;
    }
    struct wtl_gauge_pass pass = {w.readings, kept, begin_s, end_s};
    struct wattle_error err = {""};
    double truth_j = world_joules(&w, end_s) - world_joules(&w, begin_s);
    if (wtl_gauge_pass_energy(&gauge, &pass, ret, &err) < 0)
        ok(false, "%s: %s", s->name, err.text);
    *now_s = end_s + settling_s + idle_s + 0.01 + 0.1 * draw(seed, 400 + i);
    world_fini(&w);
    return truth_j;
}

static void test_series(const struct series *s)
{
    enum { SERIES = 300 };
    struct wtl_gauge gauge = {
        .period = {s->period_s, 0}, .window = {s->window_s, 0}, .tau = {s->tau_s, 0}};
    double sum = 0, squares = 0, truths = 0, half = 0;
    unsigned held = 0;
    for (uint64_t k = 0; k < SERIES; k++) {
        struct wtl_gauge_pass_energy passes[PASSES];
        struct wtl_gauge_value joules;
        struct wattle_error err = {""};
        uint64_t seed = wtl_random_bits(77, k), anchor_ns = 0;
        double truth = 0, now_s = 3;
        for (size_t i = 0; i < s->passes; i++)
            truth += pass_of(s, seed, i, &anchor_ns, &now_s, &passes[i]) / (double)s->passes;
        if (wtl_gauge_energy(&gauge, passes, s->passes, &joules, &err) < 0)
            ok(false, "%s: %s", s->name, err.text);
        double error = joules.value - truth;
        held += fabs(error) <= joules.half + 1e-9 * truth;
        sum += error;
        squares += error * error;
        truths += truth;
        half += joules.half;
    }
    double bias = sum / SERIES, sd = sqrt(squares / SERIES / SERIES);
    ok(fabs(bias) < 3.5 * sd + 1e-4 * truths / SERIES, "%s: no bias: %+.3f +- %.3f J of %.1f J",
       s->name, bias, sd, truths / SERIES);
    ok(held >= 0.93 * SERIES, "%s: %.1f %% of the intervals hold, half width %.1f J", s->name,
       100.0 * held / SERIES, half / SERIES);
}

static const struct series worlds[] = {
    {"in step, a quarter", 0.2, 0.05, 0.02, 0, 0.06, 0.2, 1, 1, 0.01, 0, 50, 12},
    {"in step, a quarter, starts late", 0.2, 0.05, 0.02, 0, 0.06, 0.2, 1, 1, 0.1, 0, 50, 12},
    {"in step, a fifth", 0.1, 0.02, 0.03, 0, 0.002, 0.1, 1, 1, 0.001, 0, 50, 12},
    {"in step, three tenths", 0.1, 0.03, 0.03, 0, 0.002, 0.1, 1, 1, 0.001, 0, 50, 12},
    {"in step, six tenths", 0.1, 0.06, 0.03, 0, 0.01, 0.1, 1, 1, 0.001, 0, 50, 12},
    {"in step, 32 passes of a fifth", 0.1, 0.02, 0.03, 0, 0.002, 0.1, 1, 1, 0.001, 0, 50, 32},
    {"a quarter of the period", 0.1, 0.025, 0.03, 0, 0.01, 0.025, 1, 1, 0.001, 0, 50, 12},
    {"shorter than the period", 0.2, 0.05, 0.02, 0, 1, 2, 0.03, 0.03, 0.005, 0, 50, 12},
    {"of varying length", 0.2, 0.05, 0.02, 0, 0.05, 0.09, 0.1, 0.9, 0.01, 0, 50, 12},
    {"a fifth of the readings missing", 0.2, 0.05, 0.02, 0, 0.06, 0.2, 1, 1, 0.01, 0.2, 50, 12},
    {"a filter", 0.1, 0.025, 0.03, 0.08, 0.03, 0.1, 0.5, 0.5, 0.005, 0, 50, 12},
    {"warmer after it", 0.2, 0.05, 0.02, 0, 0.06, 0.2, 1, 1, 0.01, 0, 60, 12},
};

static void test_fewest(void)
{
    struct wattle_error err = {""};
    struct wtl_gauge tenth = {.period = {0.1, 0}, .window = {0.01, 0}};
    is_int(wtl_gauge_check(&part_time, 12, &err), 0, "12 passes of a quarter: %s", err.text);
    is_int(wtl_gauge_check(&tenth, 16, &err), -ENODATA, "16 of a tenth may all miss it: %s",
           err.text);
    is_int(wtl_gauge_check(&tenth, 24, &err), 0, "24 do not: %s", err.text);
    tenth.tau.value = 0.3;
    is_int(wtl_gauge_check(&tenth, 12, &err), 0, "behind a filter all is seen: %s", err.text);
    tenth.excess = (struct wtl_gauge_value){0.05, NAN};
    is_int(wtl_gauge_check(&tenth, 12, &err), -ENODATA, "an excess of unknown error: %s", err.text);
}

int main(void)
{
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++)
        test_series(&worlds[i]);
    test_fewest();
    test_plan();
    test_phases(60);
    test_phases(80);
    test_refusals();
    test_bound();
    return done_testing();
}
