/* SPDX-License-Identifier: BSD-3-Clause */
/* Settling on known curves: what can be distinguished from noise, what cannot, and the remaining
 * error. */
#include <math.h>

#include "analysis/compare/settling.h"

#include "simulated_runs.h"
#include "tap.h"

enum { N = WTL_SETTLING_PARTS };
static const double PART_S = 1;

/* Power over time: approaches 200 W from below, steps, drifts, is noisy. */
struct curve {
    double missing;  /* at time 0, as a fraction of the end */
    double tau_s;    /* time constant */
    double per_min;  /* rises forever */
    double step_s;   /* 10 % less from here on; 0 = never */
    double noise;    /* standard deviation per interval */
    uint64_t stream; /* noise stream */
};

static double power_at(const struct curve *curve, double time_s)
{
    double power = 1 + curve->per_min * time_s / 60;
    if (curve->missing != 0)
        power -= curve->missing * exp(-time_s / curve->tau_s);
    if (curve->step_s > 0 && time_s >= curve->step_s)
        power -= 0.1;
    power += curve->noise * simulated_normal(curve->stream, (uint64_t)(time_s / PART_S));
    return 200 * power;
}

static void take(const struct curve *curve,
                 double from_s,
                 struct wtl_settling_part *parts,
                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double time_s = from_s + ((double)i + 0.5) * PART_S;
        parts[i] = (struct wtl_settling_part){
            .time_s = time_s, .power_w = power_at(curve, time_s), .temperature_c = NAN};
    }
}

static struct wtl_settling judge(const struct curve *curve, double from_s)
{
    struct wtl_settling_part parts[N];
    take(curve, from_s, parts, N);
    return wtl_settling_of(parts, N, true);
}

/* The rule of "wattle pose calibrate": the mean of the first stable interval, from 5 s on; from 120
 * s on none is rejected any more. */
struct measured {
    double mean, begun_s;
    bool settled;
};

static struct measured measure(const struct curve *curve)
{
    struct wtl_settling_part parts[N];
    struct measured measured = {.begun_s = 5};
    size_t n = 0;
    while (n < N) {
        n++;
        take(curve, measured.begun_s, parts, n);
        struct wtl_settling settling = wtl_settling_of(parts, n, n == N);
        measured.settled = settling.state == WTL_SETTLING_STEADY;
        double now_s = measured.begun_s + (double)n * PART_S;
        if (settling.state == WTL_SETTLING_DRIFTED && now_s < 120) {
            measured.begun_s = now_s;
            n = 0;
        }
    }
    measured.mean = 0;
    for (size_t i = 0; i < N; i++)
        measured.mean += parts[i].power_w / N;
    return measured;
}

static void test_worked_out(void)
{
    /* p by numerical integration of the density of t */
    static const double powers[] = {100, 101, 100, 102, 103, 102, 104, 103, 105, 106, 105, 107};
    struct wtl_settling_part parts[12];
    for (size_t i = 0; i < 12; i++)
        parts[i] = (struct wtl_settling_part){(double)i, powers[i], 40 + (double)i};
    struct wtl_settling settling = wtl_settling_of(parts, 12, true);
    is_double(settling.power_per_min, 60 * 0.6013986013986014 / 103.16666666666667, 1e-12, "slope");
    is_double(settling.power_p, 3.00118702e-06, 1e-13, "its p");
    is_double(settling.celsius_per_min, 60, 1e-9, "slope of the temperature");
    is_double(settling.celsius_p, 0, 0, "which is exact");
    is_int(settling.state, WTL_SETTLING_DRIFTED, "it drifts");
}

static void test_few(void)
{
    struct wtl_settling_part parts[N];
    struct curve curve = {.per_min = 0.5};
    take(&curve, 0, parts, N);
    is_int(wtl_settling_of(parts, 0, true).state, WTL_SETTLING_OPEN, "nothing");
    is_int(wtl_settling_of(parts, 9, true).state, WTL_SETTLING_OPEN, "nine parts");
    is_int(wtl_settling_of(parts, 10, false).state, WTL_SETTLING_DRIFTED, "ten");
    for (size_t i = 0; i < 21; i++)
        parts[i].power_w = NAN;
    is_int(wtl_settling_of(parts, N, true).state, WTL_SETTLING_OPEN, "nine that are known");
    ok(isnan(wtl_settling_of(parts, N, true).power_per_min), "have no slope");
    for (size_t i = 0; i < N; i++)
        parts[i].time_s = 1;
    is_int(wtl_settling_of(parts + 10, 20, true).state, WTL_SETTLING_OPEN, "all at once");
}

static void test_shapes(void)
{
    struct curve flat = {0}, slow = {.per_min = 0.004}, fast = {.per_min = 0.006};
    struct curve falling = {.per_min = -0.006}, cold = {.missing = 0.03, .tau_s = 30};
    is_int(judge(&flat, 0).state, WTL_SETTLING_STEADY, "constant");
    is_double(judge(&flat, 0).power_per_min, 0, 1e-12, "has no slope");
    is_int(judge(&slow, 0).state, WTL_SETTLING_STEADY, "0.4 %% a minute, without noise");
    is_int(judge(&fast, 0).state, WTL_SETTLING_DRIFTED, "0.6 %%");
    is_int(judge(&falling, 0).state, WTL_SETTLING_DRIFTED, "-0.6 %%");
    is_int(judge(&cold, 5).state, WTL_SETTLING_DRIFTED, "3 %% missing, after 5 s");
    is_int(judge(&cold, 80).state, WTL_SETTLING_STEADY, "after 80 s");
    for (int step_s = 4; step_s <= 27; step_s++) {
        struct curve turbo = {.step_s = step_s, .noise = 0.001, .stream = 9};
        is_int(judge(&turbo, 0).state, WTL_SETTLING_DRIFTED, "10 %% less from %d s on", step_s);
    }
    struct wtl_settling_part parts[N];
    take(&flat, 0, parts, N);
    for (size_t i = 0; i < N; i++)
        parts[i].temperature_c = 60 + 0.1 * (double)i;
    struct wtl_settling warming = wtl_settling_of(parts, N, true);
    is_int(warming.state, WTL_SETTLING_DRIFTED, "6 degrees a minute");
    ok(warming.celsius_drifts && !warming.power_drifts, "and power stands");
    for (size_t at = 1; at < N; at++) {
        for (size_t i = 0; i < N; i++)
            parts[i].temperature_c = i < at ? 60 : 61;
        is_int(wtl_settling_of(parts, N, true).state, WTL_SETTLING_STEADY,
               "one step of a sensor, at part %zu", at);
    }
    for (size_t i = 0; i < N; i++)
        parts[i].temperature_c = 60 + 0.02 * (double)i;
    is_int(wtl_settling_of(parts, N, true).state, WTL_SETTLING_STEADY, "1.2 degrees");
}

/* Stable power is rarely reported as drifting, however noisy, and not twice. */
static void test_false_alarms(void)
{
    enum { WORLDS = 1000 };
    static const double noises[] = {0.001, 0.005, 0.02};
    for (size_t k = 0; k < 3; k++) {
        size_t alarms = 0, unsettled = 0;
        for (size_t world = 0; world < WORLDS; world++) {
            struct curve curve = {.noise = noises[k], .stream = wtl_random_bits(11 + k, world)};
            alarms += judge(&curve, 0).state == WTL_SETTLING_DRIFTED;
            unsettled += !measure(&curve).settled;
        }
        ok(alarms <= 150, "noise %g: %zu alarms in %d", noises[k], alarms, WORLDS);
        ok(unsettled <= 3, "and another stretch settles it: %zu are left", unsettled);
    }
}

/* Warm-up: the remaining error, on average over worlds. */
static void test_error(void)
{
    enum { WORLDS = 200 };
    static const struct {
        double missing, tau_s, noise, most;
    } rows[] = {
        {0.03, 10, 0.001, 0.001}, {0.03, 30, 0.001, 0.003}, {0.03, 30, 0.005, 0.006},
        {0.10, 30, 0.005, 0.006}, {0.03, 60, 0.002, 0.008}, {-0.20, 8, 0.005, 0.003},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double error = 0, plain = 0;
        for (size_t world = 0; world < WORLDS; world++) {
            struct curve curve = {.missing = rows[r].missing,
                                  .tau_s = rows[r].tau_s,
                                  .noise = rows[r].noise,
                                  .stream = wtl_random_bits(21 + r, world)};
            struct wtl_settling_part parts[N];
            error += (measure(&curve).mean / 200 - 1) / WORLDS;
            take(&curve, 5, parts, N);
            for (size_t i = 0; i < N; i++)
                plain += (parts[i].power_w / 200 - 1) / N / WORLDS;
        }
        ok(fabs(error) <= rows[r].most && fabs(error) <= fabs(plain) + 1e-4,
           "%g of %g s, noise %g: %.5f; from 5 s on %.5f", rows[r].missing, rows[r].tau_s,
           rows[r].noise, error, plain);
    }
}

/* Power that drifts forever is eventually measured, and reported as drifting. */
static void test_unsettled(void)
{
    struct curve curve = {.per_min = 0.02, .noise = 0.001, .stream = 5};
    struct measured measured = measure(&curve);
    ok(!measured.settled && measured.begun_s >= 90 && measured.begun_s <= 120,
       "from %g s on, not settled", measured.begun_s);
}

int main(void)
{
    test_worked_out();
    test_few();
    test_shapes();
    test_false_alarms();
    test_error();
    test_unsettled();
    return done_testing();
}
