/* SPDX-License-Identifier: BSD-3-Clause */
/* A limit against a base: the four outcomes with worked examples, and the rate of false alarms. */
#include "analysis/compare/check.h"

#include "../sample_result.h"
#include "base/random.h"
#include "tap.h"

enum { MOST = 20 };
static struct wtl_result base[MOST], now[MOST];

static void make(struct wtl_result *runs, const double *joules, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        runs[i] = wtl_result_unknown();
        runs[i].host = "n1";
        runs[i].total.count = 1;
        runs[i].total.quality = WATTLE_MEASURED;
        runs[i].energy.j = joules[i];
        runs[i].wall_time_s = 2;
    }
}

static struct wtl_check judge(size_t a_n, size_t b_n, double limit)
{
    struct wtl_check check = {.metric = WTL_METRIC_ENERGY,
                              .limit = limit,
                              .base = base,
                              .base_count = a_n,
                              .runs = now,
                              .run_count = b_n};
    is_int(wtl_check_judge(&check), 0, "judged");
    return check;
}

static const double quiet[] = {100, 101, 99, 100.5, 99.5};

static void test_outcomes(void)
{
    const double more[] = {110, 111, 109, 110.5, 109.5};
    make(base, quiet, 5);
    make(now, more, 5);
    struct wtl_check check = judge(5, 5, 0.02);
    is_int(check.outcome, WTL_CHECK_ABOVE, "10 %% where 2 are allowed: %s", check.text);
    is_double(check.change.value, 0.1, 1e-3, "the change");
    /* Computed manually from the logarithms: standard error 0.0047857, 7.927 degrees of freedom, t
     * 15.76. */
    is_double(check.comparison.log_error, 0.0047857, 2e-5, "standard error");
    ok(check.p > 1e-8 && check.p < 1e-6, "p %g", check.p);
    check = judge(5, 5, 0.2);
    is_int(check.outcome, WTL_CHECK_WITHIN, "where 20 are allowed: %s", check.text);
    check = judge(5, 5, 0.1);
    is_int(check.outcome, WTL_CHECK_NOT_ABOVE, "where 10 are allowed: %s", check.text);
    ok(check.change.low < 0.1 && check.change.high > 0.1 && check.shown > 0.11 &&
           check.shown < 0.13 && strstr(check.text, "would show"),
       "the limit is inside, and %g would be seen", check.shown);
    check = judge(5, 5, -0.05);
    is_int(check.outcome, WTL_CHECK_ABOVE, "where a gain is asked for");
}

static void test_unknown(void)
{
    const double same[] = {100, 100, 100, 100, 100}, more[] = {103, 103, 103, 103, 103};
    make(base, quiet, 5);
    make(now, quiet, 5);
    struct wtl_check check = judge(4, 5, 0.02);
    ok(check.outcome == WTL_CHECK_UNKNOWN && isnan(check.p), "4 runs: %s", check.text);
    now[3].host = "n2";
    check = judge(5, 5, 0.02);
    ok(check.outcome == WTL_CHECK_UNKNOWN && strstr(check.text, "node"), "%s", check.text);
    make(now, quiet, 5);
    now[4].energy.j = NAN;
    check = judge(5, 5, 0.02);
    ok(check.outcome == WTL_CHECK_UNKNOWN && strstr(check.text, "run 5"), "%s", check.text);
    make(now, quiet, 5);
    now[0].total.quality = now[1].total.quality = WATTLE_ESTIMATED;
    check = judge(5, 5, 0.02);
    ok(check.outcome == WTL_CHECK_UNKNOWN && strstr(check.text, "estimate"), "%s", check.text);
    make(base, same, 5);
    make(now, more, 5);
    check = judge(5, 5, 0.02);
    is_int(check.outcome, WTL_CHECK_ABOVE, "without variation: %s", check.text);
    for (int i = 0; i < 5; i++)
        now[i].energy.half_j = 5;
    check = judge(5, 5, 0.02);
    ok(check.outcome == WTL_CHECK_UNKNOWN && strstr(check.text, "resolve"), "%s", check.text);
    is_str(wtl_check_outcome_name(WTL_CHECK_NOT_ABOVE), "not above", "its name");
}

/* 4000 checks of a command whose true change is exactly the limit: 5 % above, within 3.5 standard
 * errors. */
static void test_false_alarms(void)
{
    unsigned above = 0, within = 0, worlds = 4000, wrong = 0;
    for (unsigned w = 0; w < worlds; w++) {
        double a[10], b[10];
        for (unsigned i = 0; i < 10; i++) {
            a[i] = 100 * exp(0.01 * wtl_random_normal(w, i));
            b[i] = 102 * exp(0.02 * wtl_random_normal(w, 10 + i));
        }
        make(base, a, 10);
        make(now, b, 10);
        struct wtl_check check = {.metric = WTL_METRIC_ENERGY,
                                  .limit = 0.02,
                                  .base = base,
                                  .base_count = 10,
                                  .runs = now,
                                  .run_count = 10};
        wrong += wtl_check_judge(&check) != 0;
        above += check.outcome == WTL_CHECK_ABOVE;
        within += check.outcome == WTL_CHECK_WITHIN;
    }
    is_int(wrong, 0, "all judged");
    ok(above > 152 && above < 248, "at the limit %u of %u are called above", above, worlds);
    ok(within > 152 && within < 248, "and %u within", within);
}

int main(void)
{
    test_outcomes();
    test_unknown();
    test_false_alarms();
    return done_testing();
}
