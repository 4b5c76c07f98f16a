/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of rows with known boundaries, by every method; sums, intervals, hostile rows, refusals. */
#define _GNU_SOURCE
#include "analysis/phases/phase.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "phase_rows.h"
#include "tap.h"

enum { COLUMNS = 6, ROWS = 600 };

/* Two boundaries, of five standard deviations in two counters each. */
static struct wtl_counter_rows three_phases(void)
{
    struct wtl_counter_rows rows = noisy_rows(ROWS, COLUMNS, 7);
    raise_rate(&rows, 0, 200, 500);
    raise_rate(&rows, 3, 200, 500);
    raise_rate(&rows, 0, 400, -500);
    raise_rate(&rows, 1, 400, 500);
    return rows;
}

static struct wtl_phase_options options_of(enum wtl_phase_method method)
{
    struct wtl_phase_options options = wtl_phase_options_default();
    options.method = method;
    return options;
}

/* What holds for all phases: they cover the rows, and their energies add up. */
static void check_cover(const struct wtl_counter_rows *rows, const struct wtl_phase_list *phases)
{
    double energy = 0, all = 0, known = 0, all_known = 0;
    bool whole = phases->count > 0 && phases->list[0].first == 0 &&
                 phases->list[phases->count - 1].last == rows->rows - 1;
    bool finite = true;
    for (size_t i = 0; i < phases->count; i++) {
        const struct wtl_phase *phase = &phases->list[i];
        whole = whole && phase->first <= phase->last &&
                (i == 0 || phase->first == phases->list[i - 1].last + 1);
        energy += phase->energy_j;
        known += phase->known_s;
        finite = finite && isfinite(phase->energy_j) && isfinite(phase->length_s) &&
                 isfinite(phase->at_uncertain_s) && phase->ranked <= WTL_PHASE_RANKS &&
                 !(phase->energy_low_j > phase->energy_j) &&
                 !(phase->energy_high_j < phase->energy_j);
    }
    for (size_t k = 0; k < rows->rows; k++) {
        all += rows->energy_j[k];
        all_known += rows->known_s[k];
    }
    ok(whole, "%s: %zu phases cover all rows", wtl_phase_method_name(phases->method),
       phases->count);
    ok(fabs(energy - all) <= 1e-9 * fabs(all) && fabs(known - all_known) < 1e-6,
       "their energies add up");
    ok(finite, "numbers are finite and within their intervals");
}

static void test_boundaries(enum wtl_phase_method method)
{
    struct wtl_counter_rows rows = three_phases();
    struct wtl_phase_options options = options_of(method);
    struct wtl_phase_list phases;
    is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "%s", wtl_phase_method_name(method));
    check_cover(&rows, &phases);
    is_int(phases.count, 3, "three phases");
    ok(phases.count == 3 && phases.list[1].first >= 199 && phases.list[1].first <= 201 &&
           phases.list[2].first >= 399 && phases.list[2].first <= 401,
       "at their rows");
    ok(phases.count == 3 && phases.list[1].at_uncertain_s <= 2, "which is known to two rows");
    wtl_phases_fini(&phases);
    wtl_counter_rows_fini(&rows);
}

/* Noise alone, autocorrelated, and with outliers: one phase. */
static void test_noise(enum wtl_phase_method method)
{
    struct wtl_counter_rows rows = noisy_rows(2000, COLUMNS, 11);
    struct wtl_phase_options options = options_of(method);
    struct wtl_phase_list phases;
    is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "noise");
    is_int(phases.count, 1, "%s: is one phase", wtl_phase_method_name(method));
    wtl_phases_fini(&phases);
    for (size_t k = 1; k < rows.rows; k++)
        for (size_t c = 0; c < COLUMNS; c++)
            rows.rate[k * COLUMNS + c] += 0.8 * (rows.rate[(k - 1) * COLUMNS + c] - 1000);
    for (size_t k = 50; k < rows.rows; k += 97)
        rows.rate[k * COLUMNS + k % COLUMNS] += 1e6;
    is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "autocorrelated, with outliers");
    if (method == WTL_PHASE_FOCUS)
        is_int(phases.count, 1, "is one phase, too");
    check_cover(&rows, &phases);
    wtl_phases_fini(&phases);
    wtl_counter_rows_fini(&rows);
}

enum { MANY = 14, LENGTH = 150, STAYS = 6, RECORDINGS = 12 };

/* Counters with AR(1) noise of 0.5; with `changes`, four of them change by its standard deviation every LENGTH rows. */
static struct wtl_counter_rows soft_rows(uint64_t seed, size_t count, bool changes)
{
    struct wtl_counter_rows rows = noisy_rows(count, MANY, seed);
    for (size_t k = 1; k < count; k++)
        for (size_t c = 0; c < MANY; c++) {
            double *rate = rows.rate + k * MANY + c;
            *rate = 1000 + sqrt(0.75) * (*rate - 1000) + 0.5 * (rate[-MANY] - 1000);
        }
    for (size_t i = 1; changes && i < STAYS; i++)
        for (size_t c = 0; c < 4; c++)
            raise_rate(&rows, (i * 3 + c) % MANY, i * LENGTH, i % 2 ? 100 : -100);
    return rows;
}

/* Changes of one standard deviation are found, though not at the price of false ones where nothing changes. */
static void test_weak(void)
{
    struct wtl_phase_options options = options_of(WTL_PHASE_FOCUS);
    struct wtl_phase_list phases;
    size_t found = 0, hits = 0, alone = 0;
    for (uint64_t seed = 100; seed < 100 + RECORDINGS; seed++) {
        struct wtl_counter_rows rows = soft_rows(seed, LENGTH * STAYS, true);
        is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "weak changes");
        found += phases.count - 1;
        for (size_t i = 1; i < STAYS; i++) {
            bool hit = false;
            for (size_t p = 1; p < phases.count; p++)
                hit |= phases.list[p].first + 12 >= i * LENGTH &&
                       phases.list[p].first <= i * LENGTH + 12;
            hits += hit;
        }
        wtl_phases_fini(&phases);
        wtl_counter_rows_fini(&rows);
        rows = soft_rows(seed + 1000, LENGTH * STAYS, false);
        is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "no change");
        alone += phases.count - 1;
        wtl_phases_fini(&phases);
        wtl_counter_rows_fini(&rows);
    }
    double f1 = 2 * (double)hits / (double)(found + RECORDINGS * (STAYS - 1));
    ok(f1 >= 0.8, "AR(1) 0.5, changes of 1 standard deviation: F1 %.2f (%zu found, %zu right)", f1,
       found, hits);
    ok(alone <= 1, "%zu boundaries in %d recordings of one phase", alone, RECORDINGS);
}

static void spoil(struct wtl_counter_rows *rows)
{
    for (size_t k = 0; k < rows->rows; k++) {
        double *rate = rows->rate + k * COLUMNS;
        rate[0] = k % 3 ? NAN : rate[0];    /* mostly missing */
        rate[1] = 5e-324 * (double)(k % 2); /* denormals */
        rate[2] = k % 2 ? 1e308 : -1e308;   /* overflow */
        rate[3] = k == 300 ? INFINITY : 42; /* constant, and no number once */
        rate[4] = k < 150 ? 0 : 7;          /* constant, with a step */
        if (k % 50 == 0)
            wtl_counter_rows_power(rows, k, NAN);
    }
}

static void test_hostile(enum wtl_phase_method method)
{
    struct wtl_counter_rows rows = noisy_rows(ROWS, COLUMNS, 3);
    struct wtl_phase_options options = options_of(method);
    struct wtl_phase_list phases;
    spoil(&rows);
    is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "spoilt rows");
    check_cover(&rows, &phases);
    ok(!(phases.explained > 1), "explained %.3f", phases.explained);
    if (method == WTL_PHASE_FOCUS) {
        bool found = false;
        for (size_t i = 1; i < phases.count; i++)
            found = found || phases.list[i].first == 150;
        ok(found, "the step of the constant column is found in its row");
    }
    wtl_phases_fini(&phases);
    for (size_t k = 0; k < rows.rows; k++)
        wtl_counter_rows_power(&rows, k, NAN);
    int rc = wtl_phases_find(&rows, &options, &phases, NULL);
    if (method == WTL_PHASE_PAPER) {
        is_int(rc, -ENODATA, "the paper's method needs power");
    } else {
        ok(rc == 0 && phases.no_power && isnan(phases.list[0].mean_w) &&
               phases.list[0].energy_j == 0,
           "without power, energies are unknown");
        wtl_phases_fini(&phases);
    }
    wtl_counter_rows_fini(&rows);
}

static void refuse(size_t count,
                   bool constant,
                   struct wtl_phase_options options,
                   int want,
                   const char *words)
{
    struct wtl_counter_rows rows = noisy_rows(count, COLUMNS, 5);
    struct wtl_phase_list phases;
    struct wattle_error err = {0};
    for (size_t i = 0; i < count * COLUMNS && constant; i++)
        rows.rate[i] = i % 5 ? 3 : NAN;
    is_int(wtl_phases_find(&rows, &options, &phases, &err), want, "refused");
    ok(strstr(err.text, words) != NULL, "and says why: %s", err.text);
    wtl_counter_rows_fini(&rows);
}

static void test_refusals(void)
{
    struct wtl_phase_options focus = options_of(WTL_PHASE_FOCUS),
                             paper = options_of(WTL_PHASE_PAPER), bad = focus;
    refuse(1, false, focus, -ENODATA, "1 rows are too few");
    refuse(31, false, focus, -ENODATA, "at least 32");
    refuse(7, false, paper, -ENODATA, "fewer than the window of 8");
    refuse(100, true, focus, -ENODATA, "none of the 6 counters varies");
    bad.false_alarms_per_row = 0;
    refuse(100, false, bad, -EINVAL, "between 0 and 1");
    bad = paper;
    bad.window_rows = 2;
    refuse(100, false, bad, -EINVAL, "too short");
    bad.significance = 1;
    refuse(100, false, bad, -EINVAL, "significance");
    bad = paper;
    bad.top = 0;
    refuse(100, false, bad, -EINVAL, "relevant");
    is_int(wtl_phase_method_of("pelt"), WTL_PHASE_PELT, "a method by its name");
    is_int(wtl_phase_method_of("best"), -ENOENT, "or none");
    is_str(wtl_phase_method_name((enum wtl_phase_method)99), "?", "no method");
}

/* Phases of 20 rows, and one of 4 that is far from all others, in white noise and in autocorrelated noise. */
static void test_short_phases(double phi)
{
    struct wtl_counter_rows rows = noisy_rows(404, COLUMNS, 17);
    struct wtl_phase_options options = options_of(WTL_PHASE_FOCUS);
    struct wtl_phase_list phases;
    size_t found = 0;
    for (size_t k = 1; k < rows.rows; k++)
        for (size_t c = 0; c < COLUMNS; c++)
            rows.rate[k * COLUMNS + c] += phi * (rows.rate[(k - 1) * COLUMNS + c] - 1000);
    for (size_t i = 1; i <= 10; i++) {
        raise_rate(&rows, i % 3, 20 * i, i % 2 ? 800 : -800);
        raise_rate(&rows, 3 + i % 3, 20 * i, i % 2 ? -800 : 800);
    }
    for (size_t c = 0; c < COLUMNS; c++) {
        raise_rate(&rows, c, 300, 2000);
        raise_rate(&rows, c, 304, -2000);
    }
    is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "short phases");
    check_cover(&rows, &phases);
    for (size_t i = 1; i < phases.count; i++)
        found += phases.list[i].first % 20 == 0 ? phases.list[i].first <= 200 : 0;
    is_int(found, 10, "all of 20 rows at phi %.1f", phi);
    is_int(phases.count, 13, "and the one of 4, and no other");
    ok(phases.count == 13 && phases.list[11].first == 300 && phases.list[12].first == 304,
       "which is in its rows");
    wtl_phases_fini(&phases);
    wtl_counter_rows_fini(&rows);
}

/* Neighbours of one letter become one phase; a letter that is not known is not the same as another one. */
static void test_join(void)
{
    struct wtl_counter_rows rows = three_phases();
    struct wtl_phase_options options = options_of(WTL_PHASE_FOCUS);
    struct wtl_phase_list phases;
    is_int(wtl_phases_find(&rows, &options, &phases, NULL), 0, "three phases to join");
    is_int(wtl_phases_join(&rows, &options, &phases), 0, "without letters");
    is_int(phases.count, 3, "they stay");
    phases.list[0].letter = phases.list[1].letter = 0;
    is_int(wtl_phases_join(&rows, &options, &phases), 0, "with letters A A ?");
    is_int(phases.count, 2, "two are one");
    check_cover(&rows, &phases);
    is_int(phases.list[0].letter, 0, "of their letter");
    wtl_phases_fini(&phases);
    wtl_counter_rows_fini(&rows);
}

int main(void)
{
    for (int m = 0; m < WTL_PHASE_METHOD_COUNT; m++) {
        if (m != WTL_PHASE_PAPER) {
            test_boundaries((enum wtl_phase_method)m);
            test_noise((enum wtl_phase_method)m);
        }
        test_hostile((enum wtl_phase_method)m);
    }
    test_short_phases(0);
    test_short_phases(0.9);
    test_weak();
    test_join();
    test_refusals();
    return done_testing();
}
