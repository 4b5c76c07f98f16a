/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithm 1 of the paper, against itself computed row by row as its pseudo-code says; and what its golden notes state of
 * it: a growing window finds the end of a long phase late, a sliding one soon.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>

#include "analysis/phases/relevance.h"
#include "phase_rows.h"
#include "tap.h"

enum { COLUMNS = 6, ROWS = 220 };

/* 1-60 {0,1}, 61-110 {2,3}, 111-180 {0,4}, 181-220 {1,5}: the power follows two counters. */
static const size_t ends[] = {60, 110, 180, 220};
static const size_t pairs[][2] = {{0, 1}, {2, 3}, {0, 4}, {1, 5}};

static struct wtl_counter_rows four_sets(uint64_t seed)
{
    struct wtl_counter_rows rows = noisy_rows(ROWS, COLUMNS, seed);
    for (size_t k = 0, phase = 0; k < ROWS; k++) {
        const double *rate = rows.rate + k * COLUMNS;
        phase += k == ends[phase];
        wtl_counter_rows_power(&rows, k,
                               50 + 0.05 * (rate[pairs[phase][0]] + rate[pairs[phase][1]] - 2000) +
                                   0.3 * wtl_random_normal(seed + 1, k));
    }
    return rows;
}

static uint16_t set_of(const struct wtl_counter_rows *rows,
                       size_t a,
                       size_t b,
                       const struct wtl_phase_options *options)
{
    size_t n = options->window_rows;
    bool slides = options->window == WTL_PHASE_SLIDING && b - a + 1 > n;
    return wtl_relevance_between(rows, slides ? b + 1 - n : a, b, options).set;
}

/* The pseudo-code, with rows from 0; ends of the phases, before equal neighbours are merged. */
static size_t by_pseudo_code(const struct wtl_counter_rows *rows,
                             const struct wtl_phase_options *options,
                             size_t *last)
{
    size_t a = 0, n = options->window_rows, count = 0, end = rows->rows - 1;
    while (rows->rows - a > n) {
        size_t u = a + n - 1;
        for (;;) {
            uint16_t before = set_of(rows, a, u, options);
            if (u == end)
                break;
            size_t v = u + n < end ? u + n : end;
            if (set_of(rows, a, v, options) == before) {
                u = v;
                continue;
            }
            size_t j = v - 1;
            while (set_of(rows, a, j, options) != before)
                j--;
            u = j;
            break;
        }
        last[count++] = u;
        a = u + 1;
    }
    if (a <= end)
        last[count++] = end;
    return count;
}

static void compare_with_pseudo_code(struct wtl_phase_options options)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct wtl_counter_rows rows = four_sets(100 + seed);
        struct wtl_phase_list phases;
        size_t want[ROWS], count = by_pseudo_code(&rows, &options, want), same = 0;
        is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "world %d", (int)seed);
        for (size_t i = 0; i < phases.count && i < count; i++)
            same += phases.list[i].last == want[i];
        ok(same == count && phases.count == count, "as the pseudo-code: %zu of %zu phases", same,
           count);
        wtl_phases_fini(&phases);
        wtl_counter_rows_fini(&rows);
    }
}

static void test_pseudo_code(void)
{
    struct wtl_phase_options options = wtl_phase_options_default();
    options.method = WTL_PHASE_PAPER;
    options.keep_equal = true;
    options.top = 2;
    for (size_t n = 8; n <= 20; n += 4) {
        options.window_rows = n;
        options.window = WTL_PHASE_GROWING;
        options.relevance = WTL_PHASE_TOP;
        compare_with_pseudo_code(options);
        options.window = WTL_PHASE_SLIDING;
        compare_with_pseudo_code(options);
        options.relevance = WTL_PHASE_REGRESSION;
        compare_with_pseudo_code(options);
    }
}

/* How late the first boundary (row 60) is found, on average. */
static double lateness(enum wtl_phase_window window, size_t n)
{
    struct wtl_phase_options options = wtl_phase_options_default();
    double sum = 0;
    options.method = WTL_PHASE_PAPER;
    options.window = window;
    options.window_rows = n;
    options.top = 2;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct wtl_counter_rows rows = four_sets(200 + seed);
        struct wtl_phase_list phases;
        if (wtl_phases_find(&rows, &options, &phases, NULL) < 0)
            return NAN;
        sum += phases.count > 1 ? fabs((double)phases.list[1].first - 60) : 160;
        wtl_phases_fini(&phases);
        wtl_counter_rows_fini(&rows);
    }
    return sum / 20;
}

static void test_lateness(void)
{
    double growing = lateness(WTL_PHASE_GROWING, 16), sliding = lateness(WTL_PHASE_SLIDING, 20);
    ok(growing > 15 && sliding < 15, "growing %.1f rows late, sliding %.1f", growing, sliding);
}

/* A regression with coefficients, t values and p values by hand: power on 1..6 with residuals of known size. */
static void test_regression(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {2.1, 3.9, 6.2, 7.8, 10.1, 11.9};
    struct wtl_phase_options options = wtl_phase_options_default();
    struct wtl_counter_rows rows;
    options.relevance = WTL_PHASE_REGRESSION;
    is_int(wtl_counter_rows_init(&rows, 6, 3, 1000000000), 0, "six rows");
    for (size_t k = 0; k < 6; k++) {
        rows.rate[k * 3] = x[k];
        rows.rate[k * 3 + 1] = 2 * x[k] + 1; /* the same again */
        rows.rate[k * 3 + 2] = 5;
        wtl_counter_rows_power(&rows, k, y[k]);
    }
    struct wtl_relevance relevance = wtl_relevance_between(&rows, 0, 5, &options);
    is_int(relevance.set, 1, "the first of two that are the same; a constant is not relevant");
    ok(relevance.ranked == 2 && relevance.rank[0] == 0 && relevance.rank[1] == 1, "ties by id");
    options.significance = 1e-4; /* t = 87.1 with 4 degrees of freedom: p = 1.04e-7 */
    is_int(wtl_relevance_between(&rows, 0, 5, &options).set, 1, "p < 1e-4");
    options.significance = 1.0e-7;
    is_int(wtl_relevance_between(&rows, 0, 5, &options).set, 0, "p > 1e-7");
    rows.rate[9] = NAN;
    options.relevance = WTL_PHASE_TOP;
    is_int(wtl_relevance_between(&rows, 0, 5, &options).set, 2,
           "a missing value excludes a column");
    is_int(wtl_relevance_between(&rows, 0, 1, &options).set, 0, "nothing from two rows");
    wtl_counter_rows_fini(&rows);
}

int main(void)
{
    test_pseudo_code();
    test_lateness();
    test_regression();
    return done_testing();
}
