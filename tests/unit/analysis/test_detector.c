/* SPDX-License-Identifier: BSD-3-Clause */
/* The streaming detector: CUSUM against all divisions, delays, nothing reported on noise, hostile values. */
#define _GNU_SOURCE
#include "analysis/phases/detector.h"

#include <errno.h>
#include <math.h>

#include "analysis/phases/hull.h"
#include "base/random.h"
#include "tap.h"

/* The best division of the values so far, tried one by one. */
static double best_of_all(const double *x, size_t n, double *ret_time)
{
    double best = 0, sum = 0, head = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t t = 1; t < n; t++) {
        head += x[t - 1];
        double away = head - (double)t * sum / (double)n;
        double ratio = away * away * (double)n / ((double)t * (double)(n - t));
        if (ratio > best) {
            best = ratio;
            *ret_time = (double)t;
        }
    }
    return best;
}

/* Every eighth value looks at all vertices: then the hull must have the best one. */
static void test_cusum(void)
{
    static double x[500];
    double inverses[WTL_CUSUM_RECENT + 1] = {0};
    size_t wrong = 0, most = 0, lost = 0;
    for (int k = 1; k <= WTL_CUSUM_RECENT; k++)
        inverses[k] = 1.0 / k;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct wtl_cusum cusum;
        wtl_cusum_clear(&cusum);
        for (size_t n = 0; n < 500; n++) {
            double at = 0, want_at = 0, inverse = 1 / (double)(n + 1);
            x[n] = wtl_random_normal(seed, n) + (n > 100 * (seed % 5) ? 0.8 : 0);
            wtl_cusum_add(&cusum, x[n], n > 0 ? 1 / (double)n : 1);
            wtl_cusum_look_back(&cusum);
            double got = wtl_cusum_best(&cusum, x[n], inverses, inverse, &at);
            double want = best_of_all(x, n + 1, &want_at);
            wrong += got > want + 1e-6;
            /* A recent change that the value speaks against is not looked at. */
            lost += got < want - 1e-6 && (double)n + 1 - want_at > WTL_CUSUM_RECENT;
            most = cusum.side[0].count > most ? cusum.side[0].count : most;
        }
    }
    is_int(wrong, 0, "never more than the best of all divisions");
    is_int(lost, 0, "no older change is lost");
    ok(most < 30, "of 500 times at most %zu are kept", most);
}

static void draw(double *row, size_t columns, uint64_t seed, size_t k, double level)
{
    for (size_t c = 0; c < columns; c++)
        row[c] = wtl_random_normal(seed, k * columns + c) + (c < 2 ? level : 0);
}

static void test_delay(enum wtl_phase_method method, size_t most)
{
    struct wtl_detector_options options = wtl_detector_options_default();
    struct wtl_detector *d;
    size_t back = 0, alarms = 0, at = 0, began = 0;
    double row[8];
    options.method = method;
    is_int(wtl_detector_create(8, &options, &d, NULL), 0, "created");
    for (size_t k = 0; k < 3000; k++) {
        draw(row, 8, 17, k, k < 2000 ? 0 : 5);
        if (wtl_detector_push(d, row, &back) == 1) {
            alarms++;
            at = k;
            began = k - back;
        }
    }
    is_int(alarms, 1, "%s: one step is one alarm", wtl_phase_method_name(method));
    is_int(began, 2000, "with the row in which it was");
    ok(at >= 2000 && at - 2000 <= most, "%zu rows later", at - 2000);
    wtl_detector_restart(d);
    alarms = 0;
    for (size_t k = 0; k < 500; k++) {
        draw(row, 8, 18, k, k < 20 ? 0 : 5);
        alarms += (size_t)wtl_detector_push(d, row, NULL);
    }
    is_int(alarms, 1, "after a restart the noise is known: a step after 20 rows");
    wtl_detector_reset(d);
    alarms = 0;
    for (size_t k = 0; k < 500; k++) {
        draw(row, 8, 19, k, 0);
        alarms += (size_t)wtl_detector_push(d, row, NULL);
    }
    is_int(alarms, 0, "nothing in noise");
    wtl_detector_close(d);
}

/* A slow drift, and a row in which everything stumbles. */
static void test_no_alarm(void)
{
    struct wtl_detector_options options = wtl_detector_options_default();
    struct wtl_detector *d;
    size_t alarms = 0;
    double row[8];
    is_int(wtl_detector_create(8, &options, &d, NULL), 0, "created");
    for (size_t k = 0; k < 20000; k++) {
        draw(row, 8, 23, k, sin((double)k / 1500));
        for (size_t c = 0; c < 8 && k % 1000 == 500; c++)
            row[c] += 100;
        alarms += (size_t)wtl_detector_push(d, row, NULL);
    }
    is_int(alarms, 0, "neither drift nor single rows are phases");
    wtl_detector_close(d);
}

enum { SOFT = 8, STAY = 60, STAYS = 16 };

/* AR(1) noise of variance 1; every second stay raises three columns by `step`. */
static void draw_soft(double *row, double *noise, double phi, uint64_t seed, size_t k, double step)
{
    for (size_t c = 0; c < SOFT; c++) {
        double fresh = sqrt(1 - phi * phi) * wtl_random_normal(seed, k * SOFT + c);
        noise[c] = k == 0 ? wtl_random_normal(seed, c) : phi * noise[c] + fresh;
        row[c] = noise[c] + (k / STAY % 2 == 1 && c >= 2 && c < 5 ? step : 0);
    }
}

/* How many of the changes are called, and what else. */
static size_t call_soft(bool second_pass,
                        double phi,
                        uint64_t seed,
                        double step,
                        size_t rows,
                        size_t *ret_other)
{
    struct wtl_detector_options options = wtl_detector_options_default();
    struct wtl_detector *d;
    size_t back = 0, called = 0, last = 0;
    double row[SOFT], noise[SOFT] = {0};
    options.second_pass = second_pass;
    *ret_other = 0;
    is_int(wtl_detector_create(SOFT, &options, &d, NULL), 0, "created");
    for (size_t k = 0; k < rows; k++) {
        draw_soft(row, noise, phi, seed, k, step);
        if (wtl_detector_push(d, row, &back) != 1)
            continue;
        size_t stay = (k - back + 6) / STAY; /* the change within six rows */
        bool right = step > 0 && stay > last && (k - back + 6) % STAY <= 12;
        called += right;
        *ret_other += !right;
        last = right ? stay : last;
    }
    wtl_detector_close(d);
    return called;
}

/* What the second pass over the recent rows is for: noise in which each row resembles the one before. */
static void test_second_pass(void)
{
    size_t other, rows = (size_t)STAY * STAYS, changes = STAYS - 1;
    for (uint64_t seed = 41; seed < 43; seed++) {
        size_t called = call_soft(true, 0.9, seed, 3, rows, &other);
        ok(called * 10 >= changes * 9, "AR(1) 0.9: %zu of %zu changes are called", called, changes);
        is_int(other, 0, "and nothing else");
        called = call_soft(true, 0.5, seed, 3, rows, &other);
        ok(called * 10 >= changes * 9, "AR(1) 0.5: %zu of %zu changes are called", called, changes);
        is_int(other, 0, "and nothing else");
    }
    (void)call_soft(true, 0.9, 44, 0, 2000, &other);
    is_int(other, 0, "nothing in autocorrelated noise");
    (void)call_soft(true, 0, 45, 0, 2000, &other);
    is_int(other, 0, "nothing in white noise");
}

static void test_hostile(void)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 0, 1, -0.0};
    struct wtl_detector_options options = wtl_detector_options_default();
    for (int m = WTL_PHASE_FOCUS; m <= WTL_PHASE_NP_FOCUS; m++) {
        struct wtl_detector *d;
        double row[WTL_DETECTOR_COLUMNS];
        size_t back = 0, bad = 0;
        options.method = (enum wtl_phase_method)m;
        options.second_pass = true;
        is_int(wtl_detector_create(WTL_DETECTOR_COLUMNS, &options, &d, NULL), 0, "created");
        for (size_t k = 0; k < 3000; k++) {
            for (size_t c = 0; c < WTL_DETECTOR_COLUMNS; c++)
                row[c] = values[wtl_random_bits(c, k / (1 + c)) % 9];
            bad += wtl_detector_push(d, row, &back) == 1 && back > k;
        }
        is_int(bad, 0, "any value may be pushed");
        wtl_detector_close(d);
        is_int(wtl_detector_create(1, &options, &d, NULL), 0, "one column");
        for (size_t k = 0; k < 2000; k++)
            bad += (size_t)wtl_detector_push(d, &(double){7}, &back);
        is_int(bad, 0, "a constant is one phase");
        wtl_detector_close(d);
    }
}

static void test_refusals(void)
{
    struct wtl_detector_options options = wtl_detector_options_default();
    struct wtl_detector *d;
    is_int(wtl_detector_create(0, &options, &d, NULL), -EINVAL, "no columns");
    is_int(wtl_detector_create(WTL_DETECTOR_COLUMNS + 1, &options, &d, NULL), -EINVAL, "too many");
    options.false_alarms_per_row = NAN;
    is_int(wtl_detector_create(3, &options, &d, NULL), -EINVAL, "no rate of false alarms");
    options = wtl_detector_options_default();
    options.method = WTL_PHASE_PELT;
    is_int(wtl_detector_create(3, &options, &d, NULL), -EINVAL, "pelt does not stream");
    wtl_detector_close(NULL);
}

int main(void)
{
    test_cusum();
    test_delay(WTL_PHASE_FOCUS, 5);
    test_delay(WTL_PHASE_NP_FOCUS, 60);
    test_no_alarm();
    test_second_pass();
    test_hostile();
    test_refusals();
    return done_testing();
}
