/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of pairs: rows, the noise floor, flags, order, and when there is no verdict. */
#include "analysis/compare/ab.h"

#include "../sample_result.h"
#include "tap.h"

enum { PAIRS = 8 };

static struct wtl_result run_of(double joules, double seconds)
{
    struct wtl_result r = sample_result(1);
    double part = joules / r.energy.j;
    r.host = "n1";
    (void)wtl_result_total(&r);
    for (size_t i = 0; i < r.energy_count; i++) {
        r.channels[i].summary.amount *= part;
        r.channels[i].summary.amount_half = 0.01;
    }
    r.wall_time_s = seconds;
    (void)wtl_result_total(&r);
    r.energy.j = joules;
    return r;
}

/* B uses 10 % more, +- 1 %; the second run of a pair uses `second` more. */
static struct wtl_ab ab_of(double second)
{
    struct wtl_ab ab = {.command = {"a", "b"},
                        .metric = WTL_METRIC_ENERGY,
                        .plan = {.resolve = 0.01, .least = 5, .most = 100, .log_sd = NAN},
                        .seed = 3};
    ab.runs = calloc(2 * PAIRS, sizeof *ab.runs);
    if (!ab.runs)
        exit(1);
    for (size_t i = 0; i < PAIRS; i++) {
        bool b_first = wtl_pairs_b_first(3, i);
        double a = 100 * (b_first ? 1 + second : 1);
        double b = (i % 4 < 2 ? 109 : 111) * (b_first ? 1 : 1 + second);
        ab.runs[2 * i] = run_of(a, 2);
        ab.runs[2 * i + 1] = run_of(b, 2);
        ab.count++;
    }
    return ab;
}

static void test_rows(void)
{
    struct wtl_ab ab = ab_of(0);
    is_int(wtl_ab_judge(&ab), 0, "judged");
    is_int(ab.row_count, WTL_METRIC_COUNT + ab.runs[0].energy_count, "metrics and channels");
    is_double(ab.rows[WTL_METRIC_ENERGY].a, 100, 1e-9, "mean of A");
    is_double(ab.rows[WTL_METRIC_ENERGY].b, sqrt(109 * 111), 1e-9, "mean of B: geometric");
    is_double(ab.rows[WTL_METRIC_ENERGY].ratio.value, 1.1, 1e-4, "energy: 10 %%");
    is_double(ab.rows[WTL_METRIC_TIME].ratio.value, 1, 1e-12, "time: the same");
    is_double(ab.rows[WTL_METRIC_EDP].ratio.value, 1.1, 1e-4, "energy x time");
    ok(ab.rows[WTL_METRIC_COUNT].is_channel, "a channel: %s", ab.rows[WTL_METRIC_COUNT].name);
    is_double(ab.rows[WTL_METRIC_COUNT].ratio.value, 1.1, 1e-4, "and its energy");
    is_int(ab.verdict.kind, WTL_VERDICT_MORE, "%s", ab.verdict.text);
    ok(ab.second.low < 1 && ab.second.high > 1, "no order");
    ok(ab.drift.p > 0.05, "no drift: p %g", ab.drift.p);
    wtl_ab_fini(&ab);
    ok(!ab.runs && !ab.rows, "nothing is left");
}

static void test_order(void)
{
    struct wtl_ab ab = ab_of(0.05);
    is_int(wtl_ab_judge(&ab), 0, "judged");
    is_double(ab.second.value, 1.05, 0.005, "who runs second");
    ok(ab.second.low > 1, "is seen to use more");
    is_double(ab.rows[WTL_METRIC_ENERGY].ratio.value, 1.1, 1e-3,
              "which does not touch the difference");
    wtl_ab_fini(&ab);
}

/* Each pair uses 2 % more than the previous one: the sides drift, their difference does not. */
static void test_drift(void)
{
    struct wtl_ab ab = ab_of(0);
    for (size_t i = 0; i < 2 * PAIRS; i++)
        ab.runs[i].energy.j *= pow(1.02, (double)(i / 2));
    is_int(wtl_ab_judge(&ab), 0, "judged");
    ok(ab.drift.p < 0.001, "drift: p %g", ab.drift.p);
    is_double(ab.drift.per_run, 0.02, 0.005, "from run to run");
    is_double(ab.rows[WTL_METRIC_ENERGY].ratio.value, 1.1, 1e-3, "the difference");
    wtl_ab_fini(&ab);
}

static void test_flags(void)
{
    struct wtl_ab ab = ab_of(0);
    ab.floor_runs = calloc(2, sizeof *ab.floor_runs);
    if (!ab.floor_runs)
        exit(1);
    ab.floor_runs[0] = run_of(100, 2);
    ab.floor_runs[1] = run_of(101, 2);
    ab.floor_count = 1;
    for (size_t i = 0; i < 5; i++)
        (void)wtl_result_flag(&ab.runs[i], "THROTTLED", "run %zu", i);
    (void)wtl_result_flag(&ab.floor_runs[1], "NOT ALONE", "somebody");
    size_t before = ab.runs[0].flag_count - 1;
    is_int(wtl_ab_judge(&ab), 0, "judged");
    const struct wtl_ab_flag *found = NULL, *alone = NULL;
    for (size_t i = 0; i < ab.flag_count; i++) {
        found = strcmp(ab.flags[i].name, "THROTTLED") == 0 ? &ab.flags[i] : found;
        alone = strcmp(ab.flags[i].name, "NOT ALONE") == 0 ? &ab.flags[i] : alone;
    }
    if (ok(found && alone, "both flags, beside %zu of the runs", before)) {
        ok(found->runs[0] >= 3 && found->runs[1] >= 2 && found->runs[0] == found->runs[1] + 1,
           "%u of A, %u of B", found->runs[0], found->runs[1]);
        is_int(alone->runs[2], 1, "one of the floor");
    }
    wtl_ab_fini(&ab);
}

static void test_no_verdict(void)
{
    struct wtl_ab ab = ab_of(0);
    ab.runs[3].total.quality = WATTLE_ESTIMATED;
    is_int(wtl_ab_judge(&ab), 0, "judged");
    ok(ab.verdict.kind == WTL_VERDICT_NONE && strstr(ab.verdict.text, "estimate"), "%s",
       ab.verdict.text);
    is_double(ab.verdict.change, 0.1, 1e-3, "but a difference");
    wtl_ab_fini(&ab);
    ab = ab_of(0);
    ab.runs[5].governor = "powersave";
    is_int(wtl_ab_judge(&ab), 0, "judged");
    ok(ab.verdict.kind == WTL_VERDICT_NONE && strstr(ab.verdict.text, "governor"), "%s",
       ab.verdict.text);
    wtl_ab_fini(&ab);
    struct wtl_ab none = {.plan = {.resolve = 0.01, .least = 5, .most = 9, .log_sd = NAN}};
    is_int(wtl_ab_judge(&none), 0, "no pair at all");
    is_int(none.verdict.kind, WTL_VERDICT_NONE, "no verdict");
    wtl_ab_fini(&none);
}

static void test_floor(void)
{
    struct wtl_result runs[6];
    const double joules[] = {100, 101, 102, 101, 100, 100};
    for (size_t i = 0; i < 6; i++) {
        runs[i] = wtl_result_unknown();
        runs[i].energy.j = joules[i];
        runs[i].wall_time_s = 1;
    }
    struct wtl_noise_floor floor = wtl_noise_floor_of(runs, 3);
    double d[] = {log(1.01), log(101.0 / 102), 0}, mean = (d[0] + d[1] + d[2]) / 3, squares = 0;
    for (int i = 0; i < 3; i++)
        squares += (d[i] - mean) * (d[i] - mean);
    is_int(floor.pairs, 3, "three pairs");
    is_double(floor.of[WTL_METRIC_ENERGY].ratio.value, exp(mean), 1e-12, "of A to itself");
    is_double(floor.of[WTL_METRIC_ENERGY].log_sd, sqrt(squares / 2) / sqrt(2), 1e-12, "a run");
    is_double(floor.of[WTL_METRIC_TIME].log_sd, 0, 0, "time does not vary");
    ok(isnan(floor.of[WTL_METRIC_POWER].log_sd), "power is unknown");
}

int main(void)
{
    test_rows();
    test_order();
    test_drift();
    test_flags();
    test_no_verdict();
    test_floor();
    return done_testing();
}
