/* SPDX-License-Identifier: BSD-3-Clause */
/* A gauge of a power that is known: closed forms of windows, delays and filters; any order, the same numbers. */
#include "sim/gpu/gpu_gauge.h"

#include <math.h>

#include "tap.h"

#define MS    UINT64_C(1000000)
#define START (UINT64_C(5000) * MS)

/* 100 W, and 300 W from 1 s to 2 s after the start. */
static double step_j(void *context, uint64_t time_ns)
{
    double s = (double)(time_ns - START) * 1e-9;
    (void)context;
    return 100 * s + 200 * (fmin(fmax(s, 1), 2) - 1);
}

/* A square wave of 100 and 300 W with a period of 20 ms. */
static double square_j(void *context, uint64_t time_ns)
{
    double periods = (double)(time_ns - START) / 20e6, whole = floor(periods);
    (void)context;
    return 0.02 *
           (200 * whole + 300 * fmin(periods - whole, 0.5) + 100 * fmax(periods - whole - 0.5, 0));
}

static const struct wtl_gpu_truth step = {step_j, NULL, START, 100};

static void test_window(void)
{
    struct wtl_gpu_gauge gauge = {.period_ns = 100 * MS, .phase_ns = 10 * MS, .window_ns = 25 * MS};
    int64_t published;
    is_int(wtl_gpu_gauge_update(&gauge, START, START + 1119 * MS, &published), 11, "value 11");
    is_int(published, START + 1110 * MS, "published at 1.11 s");
    is_int(wtl_gpu_gauge_update(&gauge, START, START + 9 * MS, &published), -1,
           "one before the first");
    is_int(published, (int64_t)START - 90 * (int64_t)MS, "before the start");
    is_double(wtl_gpu_gauge_w(&gauge, &step, START), 100, 1e-9, "power before the start");
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1009 * MS), 100, 1e-9, "before the step");
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1010 * MS), 100 + 200 * 10 / 25., 1e-6,
              "10 of 25 ms are seen");
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1109 * MS), 100 + 200 * 10 / 25., 1e-6,
              "until the next value");
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1110 * MS), 300, 1e-6, "then all of it");
    gauge.delay_ns = 100 * MS;
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1110 * MS), 100 + 200 * 10 / 25., 1e-6,
              "the same a period later");
    gauge = (struct wtl_gpu_gauge){.period_ns = 10 * MS, .window_ns = 1000 * MS};
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1500 * MS), 200, 1e-6,
              "a window longer than the period");
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 500 * MS), 100, 1e-6,
              "it may begin before the start");
    gauge.window_ns = 0;
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1010 * MS), 300, 1e-6, "one instant");
}

/* After the step the filtered power is 300 - 200 e^(-t/tau), and its mean follows. */
static void test_filter(void)
{
    struct wtl_gpu_gauge gauge = {.period_ns = MS, .tau_s = 0.1};
    for (unsigned ms = 0; ms < 1000; ms += 77) {
        double t = ms * 1e-3 + 1e-3;
        is_double(wtl_gpu_gauge_w(&gauge, &step, START + (1001 + ms) * MS),
                  300 - 200 * exp(-t / 0.1), 0.06, "%u ms after the step", ms + 1);
    }
    gauge.window_ns = 200 * MS;
    double mean = 300 - 200 * 0.1 / 0.2 * (exp(-0.1 / 0.1) - exp(-0.3 / 0.1));
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 1300 * MS), mean, 0.06, "its mean of 200 ms");
    gauge = (struct wtl_gpu_gauge){.period_ns = 5 * MS, .tau_s = 0.03};
    double first = wtl_gpu_gauge_w(&gauge, &step, START + 1100 * MS);
    (void)wtl_gpu_gauge_w(&gauge, &step, START + 1700 * MS);
    ok(first == wtl_gpu_gauge_w(&gauge, &step, START + 1100 * MS), "any order, the same bits");
}

/* A window of 25 ms in each 100 ms sees a square wave of 20 ms wrongly by an amount that follows; one of 20 ms not at all. */
static void test_aliasing(void)
{
    const struct wtl_gpu_truth square = {square_j, NULL, START, 200};
    struct wtl_gpu_gauge gauge = {.period_ns = 100 * MS, .window_ns = 25 * MS};
    for (int k = 1; k < 5; k++)
        is_double(wtl_gpu_gauge_value_w(&gauge, &square, k), (0.025 * 200 - 0.005 * 100) / 0.025,
                  1e-6, "value %d: a period and its low quarter", k);
    gauge.window_ns = 20 * MS;
    is_double(wtl_gpu_gauge_value_w(&gauge, &square, 3), 200, 1e-6, "a whole period");
}

static void test_errors(void)
{
    struct wtl_gpu_gauge gauge = {
        .period_ns = 10 * MS, .quantum_w = 7, .gain = 0.05, .offset_w = -2};
    is_double(wtl_gpu_gauge_w(&gauge, &step, START + 500 * MS), 105, 1e-9, "103 W are 15 quanta");
    gauge = (struct wtl_gpu_gauge){.period_ns = 10 * MS, .noise_w = 3, .seed = 1};
    double sum = 0, squares = 0;
    for (int k = 0; k < 90; k++) {
        double error = wtl_gpu_gauge_value_w(&gauge, &step, k) - 100;
        sum += error;
        squares += error * error;
    }
    is_double(sum / 90, 0, 4 * 3 / sqrt(90), "noise has no mean");
    is_double(sqrt(squares / 90), 3, 4 * 3 / sqrt(180), "and its deviation");
    gauge.noise_w = 1000;
    bool negative = false;
    for (int k = 0; k < 90; k++)
        negative |= wtl_gpu_gauge_value_w(&gauge, &step, k) < 0;
    ok(!negative, "no gauge shows less than 0");
}

static void test_jitter(void)
{
    struct wtl_gpu_gauge gauge = {.period_ns = 10 * MS, .jitter_ns = 1e9, .seed = 3};
    int64_t last = INT64_MIN, spread = 0;
    bool ordered = true, found = true;
    for (int64_t k = -50; k < 50; k++) {
        int64_t at = wtl_gpu_gauge_update_ns(&gauge, START, k), now;
        int64_t late = at - (int64_t)START - k * 10 * (int64_t)MS;
        ordered &= at > last;
        spread = llabs(late) > spread ? llabs(late) : spread;
        found &= wtl_gpu_gauge_update(&gauge, START, (uint64_t)at, &now) == k && now == at;
        found &= wtl_gpu_gauge_update(&gauge, START, (uint64_t)at - 1, &now) == k - 1;
        last = at;
    }
    ok(ordered, "values in order");
    ok(found, "each is shown from its instant on");
    ok(spread > 3 * (int64_t)MS && spread < 5 * (int64_t)MS, "jitter up to 0.49 periods");
}

int main(void)
{
    test_window();
    test_filter();
    test_aliasing();
    test_errors();
    test_jitter();
    return done_testing();
}
