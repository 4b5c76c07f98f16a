/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rule of a verdict, and its text. */
#include <math.h>

#include "analysis/compare/verdict.h"

#include "tap.h"

static const double a6[] = {100.2, 101.1, 99.4, 100.7, 100.1, 99.9};
static const double b6[] = {97.2, 96.8, 98.1, 97.0, 97.7, 97.5};
static const double same6[] = {100.3, 101.0, 99.5, 100.6, 100.1, 99.8};
static const double wide6[] = {90, 112, 104, 95, 103, 99};

static struct wtl_verdict_question question(void)
{
    return (struct wtl_verdict_question){
        .words = {"uses", "energy"}, .resolve = 0.01, .alpha = 0.05};
}

static struct wtl_verdict verdict_of(const double *a,
                                     const double *b,
                                     size_t n,
                                     bool paired,
                                     double floor,
                                     const struct wtl_verdict_question *q)
{
    struct wtl_groups groups = {
        .a = a, .b = b, .a_n = n, .b_n = n, .paired = paired, .noise = {floor, 20}};
    struct wtl_comparison comparison = {0};
    is_int(wtl_compare(&groups, 1, 0, &comparison), 0, "compare");
    return wtl_verdict_of(&comparison, q);
}

static void test_rules(void)
{
    struct wtl_verdict_question q = question();
    struct wtl_verdict v = verdict_of(a6, b6, 1, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_NONE, "one run per side");
    is_str(v.text, "B uses 3.0 % less energy; run-to-run variation unknown", "its words");
    v = verdict_of(a6, b6, 4, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_NONE, "four");
    is_str(v.text,
           "no verdict: 4 and 4 runs; at least 5 per side are needed, or a stored noise floor",
           "why");
    v = verdict_of(a6, b6, 1, false, 0.005, &q);
    is_int(v.kind, WTL_VERDICT_LESS, "one, with a noise floor");
    v = verdict_of(a6, b6, 6, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_LESS, "six");
    is_str(v.text, "B uses 2.8 % less energy (2.2 .. 3.5 %)", "its words");
    v = verdict_of(b6, a6, 6, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_MORE, "the other way");
    is_str(v.text, "B uses 2.9 % more energy (2.2 .. 3.7 %)", "its words");
    v = verdict_of(a6, same6, 6, true, NAN, &q);
    is_int(v.kind, WTL_VERDICT_SAME, "pairs that are the same");
    is_str(v.text, "no difference in energy larger than 0.12 %", "its words");
    v = verdict_of(a6, wide6, 6, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_OPEN, "too much variation");
    ok(strstr(v.text, "inconclusive (") && strstr(v.text, " more runs per side would resolve 1 %"),
       "its words: %s", v.text);
    q.forbidden = "the sides ran on different nodes";
    v = verdict_of(a6, b6, 6, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_NONE, "forbidden");
    is_str(v.text, "no verdict: the sides ran on different nodes", "why");
    ok(v.low < v.high, "the interval is there");
    q = question();
    q.resolution = 0.05;
    v = verdict_of(a6, b6, 6, false, NAN, &q);
    is_int(v.kind, WTL_VERDICT_NONE, "below what the sensors resolve");
    ok(strstr(v.text, "below the 5 % that the sensors resolve in one run"), "why: %s", v.text);
}

static void test_sequence(void)
{
    struct wtl_verdict_question q = question();
    struct wtl_sequence sequence = wtl_sequence_start(10, 0.05);
    struct wtl_verdict v = wtl_verdict_of_sequence(&sequence, &q);
    is_int(v.kind, WTL_VERDICT_NONE, "no pair");
    for (size_t i = 0; i < 6; i++) {
        wtl_sequence_add(&sequence, log(b6[i] / a6[i]));
        v = wtl_verdict_of_sequence(&sequence, &q);
        if (i == 0)
            is_str(v.text, "B uses 3.0 % less energy; run-to-run variation unknown", "one pair");
        if (i == 3)
            is_str(v.text, "no verdict: 4 pairs; at least 5 are needed", "four pairs");
    }
    is_int(v.kind, WTL_VERDICT_LESS, "six pairs: %s", v.text);
    sequence = wtl_sequence_start(10, 0.05);
    for (size_t i = 0; i < 6; i++)
        wtl_sequence_add(&sequence, log(wide6[i] / a6[i]));
    v = wtl_verdict_of_sequence(&sequence, &q);
    is_int(v.kind, WTL_VERDICT_OPEN, "wide pairs: %s", v.text);
    ok(v.more_runs > 0, "more are needed");
}

static void test_several(void)
{
    double p[] = {0.012, 0.5, NAN, 0.02, 0.04}, alpha[5];
    wtl_verdict_alphas(p, 5, alpha);
    is_double(alpha[0], 0.05 / 4, 1e-15, "the least of four");
    is_double(alpha[3], 0.05 / 3, 1e-15, "the next fails");
    is_double(alpha[4], 0.05 / 3, 1e-15, "and with it all behind it");
    is_double(alpha[1], 0.05 / 3, 1e-15, "however large");
    is_double(alpha[2], 0.05 / 4, 1e-15, "an unknown one gets the strictest");
    double all[] = {0.001, 0.002, 0.03};
    wtl_verdict_alphas(all, 3, alpha);
    ok(all[0] < alpha[0] && all[1] < alpha[1] && all[2] < alpha[2], "all can pass");
    is_double(alpha[2], 0.05, 1e-15, "the last against 5 %%");
    double one = 0.7;
    wtl_verdict_alphas(&one, 1, alpha);
    is_double(alpha[0], 0.05, 0, "one needs no correction");
    double twice[] = {0, 0};
    wtl_verdict_alphas(twice, 2, alpha);
    ok(alpha[0] <= 0.05 && alpha[0] == alpha[1], "equal ones are treated equally");
}

int main(void)
{
    test_rules();
    test_sequence();
    test_several();
    for (int kind = 0; kind <= WTL_VERDICT_OPEN; kind++)
        ok(wtl_verdict_name((enum wtl_verdict_kind)kind)[0], "kind %d has a name", kind);
    return done_testing();
}
