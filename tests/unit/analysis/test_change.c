/* SPDX-License-Identifier: BSD-3-Clause */
/* One form for compare, ab and check: the same runs have the same means, each method its own
 * interval, and verdicts are stated once. */
#include "analysis/compare/change.h"

#include "../sample_result.h"
#include "tap.h"

enum { RUNS = 6 };

static struct wtl_result run_of(double joules)
{
    struct wtl_result r = sample_result(1);
    r.host = "n1";
    r.wall_time_s = 2;
    (void)wtl_result_total(&r);
    r.energy.j = joules;
    r.total_w = joules / 2;
    return r;
}

static const double as[RUNS] = {100, 101, 99, 100.5, 99.5, 100},
                    bs[RUNS] = {110, 111, 109, 110.5, 109.5, 110};

static void test_check(void)
{
    struct wtl_result base[RUNS], now[RUNS];
    struct wtl_change change;
    for (int i = 0; i < RUNS; i++) {
        base[i] = run_of(as[i]);
        now[i] = run_of(bs[i]);
    }
    struct wtl_check check = {.metric = WTL_METRIC_ENERGY,
                              .limit = 0.02,
                              .base = base,
                              .base_count = RUNS,
                              .runs = now,
                              .run_count = RUNS};
    is_int(wtl_check_judge(&check), 0, "judged");
    is_str(check.clause, "energy is above the limit of +2 %", "the outcome without the numbers");
    is_int(wtl_change_of_check(&check, &change), 0, "a change");
    const struct wtl_change_row *energy = &change.rows[1];
    is_str(energy->name, "energy", "time, then energy");
    ok(energy->decides && !change.rows[0].decides, "the metric decides");
    is_double(energy->ratio.low - 1, check.change.low, 1e-12, "with the interval of the check");
    ok(energy->other.ratio.low < energy->ratio.low,
       "that of one look at 95 %% is wider than 90 %%");
    is_double(energy->confidence, 0.9, 1e-12, "90 %%");
    ok(!wtl_change_is_short(&change, &change.rows[3]), "energy x time is a detail");
    wtl_change_fini(&change);

    now[2].energy.j = NAN;
    is_int(wtl_check_judge(&check), 0, "one is unknown");
    is_int(check.outcome, WTL_CHECK_UNKNOWN, "cannot tell");
    is_int(wtl_change_of_check(&check, &change), 0, "and still a change of time");
    is_str(change.rows[1].why, "unknown in 1 of 6 runs of now", "energy is not compared");
    is_double(change.rows[0].ratio.value, 1, 1e-12, "time is");
    wtl_change_fini(&change);
    for (int i = 0; i < RUNS; i++) {
        wtl_result_fini(&base[i]);
        wtl_result_fini(&now[i]);
    }
}

static void test_ab(void)
{
    struct wtl_ab ab = {.command = {"a", "b"},
                        .metric = WTL_METRIC_EDP,
                        .plan = {.resolve = 0.01, .least = 5, .most = 100, .log_sd = NAN}};
    struct wtl_change change;
    char words[200];
    ab.runs = calloc(2 * RUNS, sizeof *ab.runs);
    if (!ab.runs)
        exit(1);
    for (int i = 0; i < RUNS; i++) {
        ab.runs[2 * i] = run_of(as[i]);
        ab.runs[2 * i + 1] = run_of(bs[(i + 1) % RUNS]);
    }
    ab.count = RUNS;
    is_int(wtl_ab_judge(&ab), 0, "judged");
    is_int(wtl_change_of_ab(&ab, &change), 0, "a change");
    is_double(change.rows[1].other.a.mean, 100, 1e-9, "mean of A");
    is_double(change.rows[1].other.b.mean, 110, 1e-9, "mean of B");
    is_double(change.rows[1].ratio.high, ab.rows[WTL_METRIC_ENERGY].ratio.high, 0,
              "energy as ab has it");
    ok(change.rows[1].other.ratio.high < change.rows[1].ratio.high,
       "Student's is narrower: for one look");
    ok(change.rows[3].decides && wtl_change_is_short(&change, &change.rows[3]),
       "what decides is shown");
    ok(wtl_change_verdicts(&change, false, words, sizeof words), "a verdict");
    is_str(words, "B has more energy x time", "only on it");
    is_int(change.count, 4 + ab.runs[0].energy_count, "channels follow");
    wtl_change_fini(&change);
    wtl_ab_fini(&ab);
}

/* Two estimates: the spread of runs is no interval of their change. */
static void test_estimate(void)
{
    struct wtl_result base[RUNS], now[RUNS];
    struct wtl_change change;
    for (int i = 0; i < RUNS; i++) {
        base[i] = run_of(as[i]);
        now[i] = run_of(bs[i]);
        base[i].total.quality = now[i].total.quality = WATTLE_ESTIMATED;
        base[i].energy.quality = now[i].energy.quality = WATTLE_ESTIMATED;
        base[i].energy.low_j = base[i].energy.j / 2;
        base[i].energy.high_j = base[i].energy.j * 5;
        now[i].energy.low_j = now[i].energy.j / 2;
        now[i].energy.high_j = now[i].energy.j * 5;
    }
    struct wtl_check check = {.metric = WTL_METRIC_ENERGY,
                              .limit = 0.02,
                              .base = base,
                              .base_count = RUNS,
                              .runs = now,
                              .run_count = RUNS};
    is_int(wtl_check_judge(&check), 0, "judged");
    is_int(wtl_change_of_check(&check, &change), 0, "a change");
    const struct wtl_change_row *energy = &change.rows[1];
    is_double(energy->ratio.value, 1.1, 1e-3, "the change of the estimates");
    ok(isnan(energy->ratio.low) && isnan(energy->ratio.high), "without an interval over runs");
    ok(isnan(energy->other.ratio.low) && isnan(energy->other.bootstrap.high) &&
           isnan(energy->other.difference.low) && isnan(energy->other.p),
       "by no other method");
    is_double(energy->range[0][0], energy->other.a_mean.value / 2, 1e-9,
              "the mean has the range of the model");
    is_double(energy->range[1][1], energy->other.b_mean.value * 5, 1e-9, "on both sides");
    ok(!isnan(change.rows[0].ratio.low), "a time is measured");
    wtl_change_fini(&change);
    for (int i = 0; i < RUNS; i++) {
        wtl_result_fini(&base[i]);
        wtl_result_fini(&now[i]);
    }
}

static void test_words(void)
{
    struct wtl_verdict verdicts[4] = {{.kind = WTL_VERDICT_LESS, .clause = "B takes less time"},
                                      {.kind = WTL_VERDICT_NONE, .clause = "the governor differs"},
                                      {.kind = WTL_VERDICT_NONE, .clause = "the governor differs"},
                                      {.kind = WTL_VERDICT_NONE, .clause = "another reason"}};
    struct wtl_change_row rows[4] = {
        {.name = "time"}, {.name = "energy"}, {.name = "power"}, {.name = "energy x time"}};
    struct wtl_change change = {.rows = rows, .count = 4, .headline = 4};
    char words[300];
    for (int i = 0; i < 4; i++) {
        rows[i].decides = true;
        rows[i].verdict = &verdicts[i];
    }
    ok(wtl_change_verdicts(&change, false, words, sizeof words), "one is given");
    is_str(words, "B takes less time; no verdict on energy and power: the governor differs",
           "reasons are said once");
    ok(wtl_change_verdicts(&change, true, words, sizeof words), "in detail");
    is_str(words,
           "B takes less time; no verdict on energy and power: the governor differs; no verdict on "
           "energy x time: another reason",
           "of all four");
    verdicts[0] = verdicts[1];
    ok(!wtl_change_verdicts(&change, false, words, sizeof words), "none is given");
    is_str(words, "no verdict: the governor differs", "for one reason");
}

int main(void)
{
    test_check();
    test_ab();
    test_estimate();
    test_words();
    return done_testing();
}
