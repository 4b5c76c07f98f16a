/* SPDX-License-Identifier: BSD-3-Clause */
/* The tally of gauges compared with analytic truth: the integral of samples, and what the window of an average leaves open. */
#include "model/tally/tally.h"

#include <math.h>

#include "tap.h"

#define MS 1000000ull

static void test_gauge(void)
{
    struct wattle_channel channel = {
        .quantity = WATTLE_POWER, .kind = WATTLE_GAUGE, .scale = 0.001, .name = "g"};
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    /* P = 100 W + 10 W/s t, sampled every 100 ms, window 0.25 s .. 1.75 s */
    for (unsigned i = 0; i <= 20; i++) {
        if (i == 3)
            wtl_tally_begin(&tally, 250 * MS);
        if (i == 18)
            wtl_tally_end(&tally, 1750 * MS);
        wtl_tally_sample(&tally, i * 100 * MS, 100000 + i * 1000, false);
    }
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 1.5 * 110, 1e-6, "the trapezoid of a ramp is exact, cut at both ends");
    is_double(s.mean_w, 110, 1e-6, "mean power");
    is_double(s.min_w, 103, 1e-9, "minimum of the samples inside");
    is_double(s.max_w, 117, 1e-9, "maximum of the samples inside");

    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 50000, false);
    wtl_tally_begin(&tally, 0);
    wtl_tally_sample(&tally, 1000 * MS, 50000, false);
    wtl_tally_sample(&tally, 2000 * MS, 50000, false); /* before the end is announced */
    wtl_tally_end(&tally, 1500 * MS);
    wtl_tally_summary(&tally, &s);
    is_double(s.amount, 75, 1e-6, "a sample that was ahead of the end is cut");
}

/* Energy of a base of 100 W and a pulse of 200 W more, 0.3 s from `pulse_s` on: not quite, since round values look like coarse steps. */
static double pulse_j(double from_s, double to_s, double pulse_s)
{
    double on = fmin(to_s, pulse_s + 0.3) - fmax(from_s, pulse_s);
    return 100.003 * (to_s - from_s) + 200.017 * fmax(0, on);
}

/* A gauge that shows the mean of the last second, over 3 s with a pulse somewhere: its interval has the truth, and it is narrow
 * where the power at both ends is the least one. */
static void test_long_average(void)
{
    struct wattle_channel channel = {.quantity = WATTLE_POWER,
                                     .kind = WATTLE_WINDOW_AVERAGE,
                                     .scale = 0.001,
                                     .refresh_ns = 100 * MS,
                                     .window_ns = 1000 * MS,
                                     .name = "a"};
    double worst = 0, middle = INFINITY;
    for (double pulse_s = -2; pulse_s < 4; pulse_s += 0.05) {
        struct wtl_tally tally;
        struct wtl_summary s;
        wtl_tally_init(&tally, &channel);
        for (unsigned i = 0; i <= 32; i++) {
            double t = (double)i * 0.1 - 0.1;
            if (i == 1)
                wtl_tally_begin(&tally, 5100 * MS);
            if (i == 32)
                wtl_tally_end(&tally, 8100 * MS);
            wtl_tally_sample(&tally, 5000 * MS + i * 100 * MS,
                             (uint64_t)llround(1000 * pulse_j(t - 1, t, pulse_s)), false);
        }
        wtl_tally_summary(&tally, &s);
        worst = fmax(worst, fabs(s.amount - pulse_j(0, 3, pulse_s)) / s.amount_half);
        if (pulse_s > 0.2 && pulse_s < 1.6)
            middle = fmin(middle, s.amount_half);
    }
    ok(worst <= 1, "the truth is in the interval: at most %g half widths away", worst);
    ok(middle < 15, "narrow where nothing is left open: +- %g J", middle);
}

/*
 * The same gauge, read every 70 ms, out of step with its updates every 100 ms: when a new value came is known only to the time
 * between two samples. The power at both ends is the least one.
 */
static void test_average_out_of_step(void)
{
    struct wattle_channel channel = {.quantity = WATTLE_POWER,
                                     .kind = WATTLE_WINDOW_AVERAGE,
                                     .scale = 0.001,
                                     .refresh_ns = 100 * MS,
                                     .window_ns = 1000 * MS,
                                     .name = "a"};
    unsigned wrong = 0, count = 0;
    double widest = 0;
    for (unsigned phase = 0; phase < 10; phase++) {
        for (double pulse_s = 0.2; pulse_s < 1.5; pulse_s += 0.0371) {
            struct wtl_tally tally;
            struct wtl_summary s;
            bool begun = false, ended = false;
            wtl_tally_init(&tally, &channel);
            for (uint64_t at_ms = 4900 + 7 * phase; at_ms < 8300; at_ms += 70) {
                double shown_s = floor(((double)at_ms - 5000) / 100) / 10;
                if (!begun && at_ms > 5000)
                    wtl_tally_begin(&tally, 5000 * MS);
                if (!ended && at_ms > 8000)
                    wtl_tally_end(&tally, 8000 * MS);
                begun |= at_ms > 5000;
                ended |= at_ms > 8000;
                wtl_tally_sample(&tally, at_ms * MS,
                                 (uint64_t)llround(1000 * pulse_j(shown_s - 1, shown_s, pulse_s)),
                                 false);
            }
            wtl_tally_summary(&tally, &s);
            count++;
            wrong += !(fabs(s.amount - pulse_j(0, 3, pulse_s)) <= s.amount_half);
            widest = fmax(widest, s.amount_half);
        }
    }
    ok(wrong * 10 <= count, "%u of %u means read out of step are wrong", wrong, count);
    ok(widest < 6, "none is wider than the steps between its updates: +- %g J", widest);
}

/* The same gauge, read every 2 s: half of the time is in no window, and a pulse there is in no reading. */
static void test_average_read_rarely(void)
{
    struct wattle_channel channel = {.quantity = WATTLE_POWER,
                                     .kind = WATTLE_WINDOW_AVERAGE,
                                     .scale = 0.001,
                                     .refresh_ns = 100 * MS,
                                     .window_ns = 1000 * MS,
                                     .max_w = 700,
                                     .name = "a"};
    unsigned wrong = 0, count = 0;
    for (double pulse_s = 0.5; pulse_s < 5; pulse_s += 0.0371) {
        struct wtl_tally tally;
        struct wtl_summary s;
        wtl_tally_init(&tally, &channel);
        for (unsigned i = 0; i <= 4; i++) {
            double t = (double)i * 2 - 1;
            if (i == 1)
                wtl_tally_begin(&tally, 5000 * MS);
            if (i == 4)
                wtl_tally_end(&tally, 11000 * MS);
            wtl_tally_sample(&tally, (uint64_t)((5 + t) * 1000) * MS,
                             (uint64_t)llround(1000 * pulse_j(t - 1, t, pulse_s)), false);
        }
        wtl_tally_summary(&tally, &s);
        count++;
        wrong += !(fabs(s.amount - pulse_j(0, 6, pulse_s)) <= s.amount_half);
    }
    is_int(wrong, 0, "none of them is wrong where it is read too rarely");
}

/* A gauge in steps of 25 W, in mW: what lies between them is not seen, and does not average out. */
static void test_quantum(void)
{
    static const struct {
        int line;
        const char *name;
        double low_w, high_w, period_s; /* the power in the window; before it rises from low_w */
        double least_j, most_j;         /* half the interval of a second */
    } rows[] = {
        {__LINE__, "a power that stands still", 112.4, 112.4, 1, 12.5, 14},
        {__LINE__, "one that changes", 60, 160, 0.3, 12.5, 40},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wattle_channel channel = {
            .quantity = WATTLE_POWER, .kind = WATTLE_GAUGE, .scale = 0.001, .name = "g"};
        struct wtl_tally tally;
        struct wtl_summary s;
        double true_j = 0;
        wtl_tally_init(&tally, &channel);
        for (uint64_t ms = 0; ms <= 2000; ms += 10) {
            double at_s = (double)ms * 1e-3;
            bool high = fmod(at_s, rows[i].period_s) < rows[i].period_s / 2;
            double power_w = ms < 1000 ? 20 + 90 * at_s : high ? rows[i].high_w : rows[i].low_w;
            true_j += ms > 1000 ? power_w * 0.01 : 0;
            if (ms == 1000)
                wtl_tally_begin(&tally, 1000 * MS);
            wtl_tally_sample(&tally, ms * MS, 25000 * (uint64_t)llround(power_w / 25), false);
        }
        wtl_tally_end(&tally, 2000 * MS);
        wtl_tally_summary(&tally, &s);
        ok(fabs(s.amount - true_j) <= s.amount_half, "%s is in its interval: %g +- %g J, true %g",
           rows[i].name, s.amount, s.amount_half, true_j);
        ok(s.amount_half >= rows[i].least_j && s.amount_half <= rows[i].most_j,
           "half a step, and no more");
    }
    tap_line = 0;
    struct wtl_quantum two = {.count = 0}, three = {.count = 0};
    wtl_quantum_add(&two, 60000);
    wtl_quantum_add(&two, 360000);
    is_int(wtl_quantum_step(&two), 0, "two round powers are no steps");
    three = two;
    wtl_quantum_add(&three, 300000);
    is_int(wtl_quantum_step(&three), 60000, "three are");
    wtl_quantum_add(&three, 123457);
    is_int(wtl_quantum_step(&three), 1, "until one is between them");
}

/* A gauge whose values do not show its step: the decimals that they have bound it, but for no more than 1 W. */
static void test_unknown_step(void)
{
    static const struct {
        int line;
        const char *name;
        uint64_t values_mw[2];
        double half_w, coarsest_w;
    } rows[] = {
        {__LINE__, "of 25 W, or of 1 W", {100000, 100000}, 0.5, 25},
        {__LINE__, "two of them", {100000, 300000}, 0.5, 0},
        {__LINE__, "of 8 W, or of 1 W", {96000, 96000}, 0.5, 8},
        {__LINE__, "of 1 W", {97000, 97000}, 0.5, 0},
        {__LINE__, "of 0.1 W", {103200, 103200}, 0.05, 0},
        {__LINE__, "of 2.5 W, or of 0.1 W", {102500, 102500}, 0.05, 2.5},
        {__LINE__, "of 1 mW", {103271, 103271}, 0.0005, 0},
        {__LINE__, "none", {0, 0}, 0.0005, 0},
    };
    const struct wattle_channel channel = {
        .quantity = WATTLE_POWER, .kind = WATTLE_GAUGE, .scale = 0.001, .name = "g"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_tally tally;
        struct wtl_summary s;
        wtl_tally_init(&tally, &channel);
        for (uint64_t ms = 0; ms <= 2000; ms += 10) {
            if (ms == 1000)
                wtl_tally_begin(&tally, 1000 * MS);
            wtl_tally_sample(&tally, ms * MS, rows[i].values_mw[ms / 10 % 2], false);
        }
        wtl_tally_end(&tally, 2000 * MS);
        wtl_tally_summary(&tally, &s);
        bool same = rows[i].values_mw[0] == rows[i].values_mw[1];
        ok(same ? fabs(s.amount_half - rows[i].half_w) < 1e-9 : s.amount_half >= rows[i].half_w,
           "%s: +- %g J of a second", rows[i].name, s.amount_half);
        is_double(same ? wtl_quantum_coarsest_w(&channel, s.first_value) : 0, rows[i].coarsest_w,
                  1e-9, "%s: the coarsest", rows[i].name);
    }
    tap_line = 0;
}

/* A counter of what such a gauge showed. */
static void test_part_time_counter(void)
{
    struct wattle_channel channel = {.quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = 0.5,
                                     .refresh_ns = 1000 * MS,
                                     .window_ns = 250 * MS,
                                     .max_w = 400,
                                     .name = "p"};
    struct wtl_tally tally;
    struct wtl_summary s;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, 0, 0, false);
    wtl_tally_begin(&tally, 0);
    for (unsigned k = 1; k <= 20; k++)
        wtl_tally_sample(&tally, k * 1000 * MS, 200 * (uint64_t)k, false);
    wtl_tally_end(&tally, 20000 * MS);
    wtl_tally_summary(&tally, &s);
    ok(s.amount_half > 0.74 * 20 * 300, "400 W in three quarters of the time: +- %g J",
       s.amount_half);
}

int main(void)
{
    test_gauge();
    test_part_time_counter();
    test_long_average();
    test_average_out_of_step();
    test_average_read_rarely();
    test_quantum();
    test_unknown_step();
    return done_testing();
}
