/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The confidence sequence compared with the numerically integrated Bayes factor (scipy.stats.nct
 * over a normal prior), and its guarantee: checked after each pair, false alarms stay below 5 %,
 * even with heavy tails, outliers or drift.
 */
#include <math.h>

#include "analysis/compare/sequence.h"

#include "model/statistics/student.h"

#include "simulated_runs.h"
#include "tap.h"

/* Hours of sleep (Student 1908), with the extreme value first, so that the last check is the
 * strongest. */
static void test_factor(void)
{
    static const double pairs[] = {4.6, 1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 1.4};
    struct wtl_sequence sequence = wtl_sequence_start(10, 0.05);
    is_double(sequence.g, 1, 0, "prior");
    for (size_t i = 0; i < 10; i++)
        wtl_sequence_add(&sequence, pairs[i]);
    is_double(sequence.mean, 1.58, 1e-12, "mean");
    is_double(wtl_sequence_p(&sequence), 1 / 25.475137858897273, 1e-12, "factor of the sleep data");
    struct wtl_interval ratio = wtl_sequence_ratio(&sequence);
    ok(ratio.low > 1 && log(ratio.high) > 2.459885763254729, "wider than Student's");
    /* At its ends the factor is 1/alpha. */
    double t_squared = 10 * pow((1.58 - log(ratio.low)) / wtl_sequence_sd(&sequence), 2);
    double factor = pow((1 + t_squared / 9) / (1 + t_squared / 9 / 11), 5) / sqrt(11);
    is_double(factor, 20, 1e-9, "the ends of the interval are where the factor is 20");
}

static void test_beginning(void)
{
    struct wtl_sequence sequence = wtl_sequence_start(10, 0.05);
    ok(isnan(wtl_sequence_ratio(&sequence).value) && isnan(wtl_sequence_p(&sequence)), "no pair");
    wtl_sequence_add(&sequence, 0.5);
    is_double(wtl_sequence_ratio(&sequence).value, exp(0.5), 1e-15, "one pair has a ratio");
    ok(isnan(wtl_sequence_ratio(&sequence).low) && wtl_sequence_p(&sequence) == 1 &&
           isnan(wtl_sequence_more_pairs(&sequence, 0.01)),
       "and no interval");
    wtl_sequence_add(&sequence, 0.6);
    struct wtl_interval ratio = wtl_sequence_ratio(&sequence);
    ok(ratio.low == 0 && isinf(ratio.high), "two exclude nothing");
    ok(isnan(wtl_sequence_pairs(NAN, 0.01, 0.05)) && isnan(wtl_sequence_pairs(0.01, 0, 0.05)),
       "a plan needs a floor and a question");
    is_double(wtl_sequence_pairs(0, 0.01, 0.05), 5, 0, "without noise the least number does");
}

/* Kinds of worlds: normal; Student's with 3 degrees; one in ten 10 x wider; drifting level. */
static double world_pair(int kind, uint64_t stream, size_t i, double sd)
{
    double a = simulated_normal(stream, 4 * i), b = simulated_normal(stream, 4 * i + 1);
    if (kind == 1) {
        a = wtl_student_quantile(wtl_random_uniform(stream, 4 * i) + 0x1p-54, 3);
        b = wtl_student_quantile(wtl_random_uniform(stream, 4 * i + 1) + 0x1p-54, 3);
    } else if (kind == 2) {
        a *= wtl_random_uniform(stream, 4 * i + 2) < 0.1 ? 10 : 1;
        b *= wtl_random_uniform(stream, 4 * i + 3) < 0.1 ? 10 : 1;
    } else if (kind == 3) {
        /* The second run of a pair is warmer; the order is random. */
        (wtl_random_uniform(stream, 4 * i + 2) < 0.5 ? &a : &b)[0] += 0.3;
    }
    return sd * (b - a);
}

static void test_false_alarms(void)
{
    enum { WORLDS = 1500, PAIRS = 100 };
    static const char *const names[] = {"normal", "heavy tails", "outliers", "drift"};
    for (int kind = 0; kind < 4; kind++) {
        size_t worlds = kind == 1 ? WORLDS / 3 : WORLDS, alarms = 0, missed = 0;
        for (size_t world = 0; world < worlds; world++) {
            struct wtl_sequence sequence = wtl_sequence_start(15, 0.05);
            uint64_t stream = wtl_random_bits(1000 + (uint64_t)kind, world);
            bool miss = false;
            for (size_t i = 0; i < PAIRS; i++) {
                wtl_sequence_add(&sequence, 0.02 + world_pair(kind, stream, i, 0.01));
                struct wtl_interval ratio = wtl_sequence_ratio(&sequence);
                miss |= ratio.low > exp(0.02) || ratio.high < exp(0.02);
            }
            missed += miss;
            sequence = wtl_sequence_start(15, 0.05);
            for (size_t i = 0; i < PAIRS; i++)
                wtl_sequence_add(&sequence, world_pair(kind, stream, i, 0.01));
            alarms += wtl_sequence_p(&sequence) <= 0.05;
        }
        diag("%s: %.4f false alarms, %.4f missed, in 100 looks", names[kind],
             (double)alarms / (double)worlds, (double)missed / (double)worlds);
        double limit = 0.05 + 3 * sqrt(0.05 * 0.95 / (double)worlds);
        ok((double)alarms <= limit * (double)worlds, "%s: false alarms <= 5 %%", names[kind]);
        ok((double)missed <= limit * (double)worlds, "%s: the truth is inside at all looks",
           names[kind]);
    }
}

/* The plan is the number of pairs needed if there is no difference. */
static void test_plan(void)
{
    double planned = wtl_sequence_pairs(0.01, 0.01, 0.05);
    size_t total = 0;
    enum { WORLDS = 200 };
    for (size_t world = 0; world < WORLDS; world++) {
        struct wtl_sequence sequence = wtl_sequence_start(planned, 0.05);
        uint64_t stream = wtl_random_bits(2000, world);
        for (size_t i = 0; i < 400; i++) {
            wtl_sequence_add(&sequence, world_pair(0, stream, i, 0.01));
            if (sequence.n >= 5 && wtl_sequence_more_pairs(&sequence, 0.01) == 0)
                break;
        }
        total += sequence.n;
    }
    double mean = (double)total / WORLDS;
    diag("planned %.0f, needed %.1f in the mean", planned, mean);
    ok(mean > 0.6 * planned && mean < 1.6 * planned, "the plan is about what it takes");
}

int main(void)
{
    test_factor();
    test_beginning();
    test_false_alarms();
    test_plan();
    return done_testing();
}
