/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often the statistics of "compare" and "ab" are right, in simulated worlds with known truth:
 * false alarms at a nominal 5 %, power at true differences of 1, 2 and 5 %, coverage of the 95 %
 * interval. For comparison, in the same worlds: one run per side, Student's pooled test on runs of
 * one side after the other, and Student's test after every pair.
 *
 *     bench_compare [WORLDS]         default 2000 per cell
 *
 * A run's energy is level x (1 + noise) x drift. Kinds of noise: normal; drift (rising by four
 * standard deviations from the first to the last run of the session); outliers (one run in twenty 5
 * standard deviations higher); heavy tails (Student with 3 degrees of freedom, scaled to the same
 * standard deviation). Pairs run next to each other in random order.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/comparison.h"
#include "analysis/compare/drift.h"
#include "analysis/compare/sequence.h"
#include "base/random.h"
#include "model/statistics/student.h"

enum { MOST = 20, PAIRS = 200 };
enum kind { NORMAL, DRIFT, OUTLIERS, HEAVY, KINDS };

static const char *const kind_names[] = {"normal", "drift", "outliers", "heavy tails"};
static const double noises[] = {0.005, 0.01, 0.02}, truths[] = {0, 0.01, 0.02, 0.05};
static const size_t sizes[] = {5, 10, 20};
enum { NOISES = 3, TRUTHS = 4, SIZES = 3 };

/* Random numbers of one world: a stream and the position in it. */
struct world {
    enum kind kind;
    double sd;
    uint64_t stream, at;
};

static double uniform(struct world *world)
{
    return wtl_random_uniform(world->stream, world->at++);
}

static double normal(struct world *world)
{
    double radius = sqrt(-2 * log(1 - uniform(world)));
    return radius * cos(2 * acos(-1.0) * uniform(world));
}

/* Logarithm of a run at that fraction of the session, 0 to 1. */
static double run_at(struct world *world, double when)
{
    double noise = normal(world);
    if (world->kind == DRIFT)
        noise += 4 * when;
    else if (world->kind == OUTLIERS && uniform(world) < 0.05)
        noise += 5;
    else if (world->kind == HEAVY) {
        double squares = 0;
        for (int i = 0; i < 3; i++) {
            double one = normal(world);
            squares += one * one;
        }
        noise = noise / sqrt(squares / 3) / sqrt(3.0);
    }
    return world->sd * noise;
}

/* ---- methods ---- */

enum way { ONE_RUN, POOLED, COMPARE, PAIRED, WAYS };
static const char *const way_names[] = {
    "one run per side, what it shows taken for true (> 0.5 %)",
    "A then B, Student's pooled t",
    "A then B, wattle compare (Welch; a steady drift allowed for)",
    "interleaved pairs, wattle compare --paired",
};

struct tally {
    size_t worlds, alarms, found[TRUTHS], covered, boot, boots;
};

/* A and B without a difference, in the order of the method. */
static void make_runs(struct world *world, enum way way, size_t n, double *a, double *b)
{
    double last = (double)(2 * n - 1);
    for (size_t i = 0; i < n; i++) {
        bool swap = way == PAIRED && uniform(world) < 0.5;
        double first = way == PAIRED ? (double)(2 * i) : (double)i;
        double second = way == PAIRED ? first + 1 : (double)(n + i);
        a[i] = run_at(world, (swap ? second : first) / last);
        b[i] = run_at(world, (swap ? first : second) / last);
    }
}

static bool pooled_finds(const double *a, const double *b, size_t n)
{
    struct wtl_spread sa = wtl_spread_of(a, n), sb = wtl_spread_of(b, n);
    double error = sqrt((sa.sd * sa.sd + sb.sd * sb.sd) / (double)n);
    double t = (sb.mean - sa.mean) / error;
    return wtl_student_two_sided(t, (double)(2 * n - 2)) < 0.05;
}

/* Does the method say that these runs differ? They are in the order in which they ran. */
static bool finds(enum way way, const double *a, const double *b, size_t n, double p)
{
    double when[2 * MOST], logs[2 * MOST];
    struct wtl_drift drift;
    for (size_t i = 0; i < n; i++) {
        when[i] = (double)i;
        when[n + i] = (double)(n + i);
        logs[i] = log(a[i]);
        logs[n + i] = log(b[i]);
    }
    if (way == ONE_RUN)
        return fabs(b[0] / a[0] - 1) > 0.005;
    if (way == POOLED)
        return pooled_finds(logs, logs + n, n);
    if (way == PAIRED)
        return p < 0.05;
    if (wtl_drift_of(a, n, b, n, &drift) < 0)
        exit(1);
    return p < 0.05 && !(drift.p < 0.05) && wtl_drift_allowed_p(a, when, n, b, when + n, n) < 0.05;
}

/* One world with each true difference; coverage at 2 %. */
static void judge(enum way way,
                  const double *a,
                  const double *b,
                  size_t n,
                  size_t world,
                  struct tally *tally)
{
    double ea[MOST], eb[MOST];
    for (size_t k = 0; k < TRUTHS; k++) {
        struct wtl_groups groups = {
            .a = ea, .b = eb, .a_n = n, .b_n = n, .paired = way == PAIRED, .noise = {NAN, NAN}};
        struct wtl_comparison c;
        double truth = 1 + truths[k];
        size_t resamples = k == 2 && world < 500 && way >= COMPARE ? 999 : 0;
        for (size_t i = 0; i < n; i++) {
            ea[i] = 300 * exp(a[i]);
            eb[i] = 300 * exp(b[i]) * truth;
        }
        if (wtl_compare(&groups, (unsigned)world, resamples, &c) < 0)
            exit(1);
        tally->found[k] += finds(way, ea, eb, n, c.p);
        if (k != 2)
            continue;
        tally->covered += c.ratio.low <= truth && truth <= c.ratio.high;
        tally->boots += resamples > 0;
        tally->boot += resamples > 0 && c.bootstrap.low <= truth && truth <= c.bootstrap.high;
    }
    tally->worlds++;
}

static void print_cell(enum kind kind, double sd, size_t n, enum way way, const struct tally *tally)
{
    double worlds = (double)tally->worlds;
    printf("  %-11s  %3.1f %%  %2zu", kind_names[kind], 100 * sd, way == ONE_RUN ? 1 : n);
    for (size_t k = 0; k < TRUTHS; k++)
        printf("  %7.1f %%", 100 * (double)tally->found[k] / worlds);
    if (way >= COMPARE)
        printf("  %7.1f %%  %7.1f %%", 100 * (double)tally->covered / worlds,
               100 * (double)tally->boot / (double)tally->boots);
    printf("\n");
}

static void print_way(enum way way, size_t worlds)
{
    printf("\n%s\n  %-11s  %5s  %2s  %9s  %9s  %9s  %9s%s\n", way_names[way], "noise", "sd", "n",
           "alarms", "at 1 %", "at 2 %", "at 5 %", way >= COMPARE ? "    covered  bootstrap" : "");
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t s = 0; s < NOISES; s++) {
            for (size_t k = 0; k < SIZES; k++) {
                struct tally tally = {0};
                size_t n = sizes[k];
                if (way == ONE_RUN && k > 0)
                    continue;
                for (size_t i = 0; i < worlds; i++) {
                    double a[MOST], b[MOST];
                    struct world world = {.kind = (enum kind)kind,
                                          .sd = noises[s],
                                          .stream = wtl_random_bits((uint64_t)kind * 100 + s, i)};
                    make_runs(&world, way, n, a, b);
                    judge(way, a, b, n, i, &tally);
                }
                print_cell((enum kind)kind, noises[s], n, way, &tally);
            }
        }
    }
}

/* ---- testing after every pair ---- */

struct looks {
    size_t student, sequence, answered, pairs;
};

static void look(struct world *world, double truth, struct looks *looks)
{
    double planned = wtl_sequence_pairs(world->sd, 0.01, 0.05), pairs[PAIRS];
    struct wtl_sequence sequence = wtl_sequence_start(planned, 0.05);
    bool student = false, found = false, answered = false;
    for (size_t i = 0; i < PAIRS; i++) {
        bool swap = uniform(world) < 0.5;
        double first = run_at(world, (double)(2 * i) / (2 * PAIRS - 1));
        double second = run_at(world, (double)(2 * i + 1) / (2 * PAIRS - 1));
        pairs[i] = (swap ? first - second : second - first) + log1p(truth);
        struct wtl_spread spread = wtl_spread_of(pairs, i + 1);
        student |= i + 1 >= WTL_COMPARISON_RUNS && fabs(spread.mean) > spread.ci95;
        if (answered)
            continue;
        wtl_sequence_add(&sequence, pairs[i]);
        struct wtl_interval ratio = wtl_sequence_ratio(&sequence);
        answered =
            sequence.n >= WTL_COMPARISON_RUNS && wtl_sequence_more_pairs(&sequence, 0.01) == 0;
        found = answered && (ratio.low > 1 || ratio.high < 1);
    }
    looks->student += student;
    looks->sequence += found;
    looks->answered += answered;
    looks->pairs += sequence.n;
}

static void print_looks(size_t worlds)
{
    printf("\na look after every pair, at most %d; resolve 1 %%\n"
           "  %-11s  %5s  %6s  %14s  %9s  %9s  %10s\n",
           PAIRS, "noise", "sd", "truth", "Student's t", "ab finds", "answered", "pairs used");
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t s = 0; s < NOISES; s++) {
            for (size_t k = 0; k < TRUTHS; k++) {
                struct looks looks = {0};
                for (size_t i = 0; i < worlds; i++) {
                    struct world world = {.kind = (enum kind)kind,
                                          .sd = noises[s],
                                          .stream =
                                              wtl_random_bits(5000 + (uint64_t)kind * 100 + s, i)};
                    look(&world, truths[k], &looks);
                }
                double n = (double)worlds;
                printf("  %-11s  %3.1f %%  %4.0f %%  %12.1f %%  %7.1f %%  %7.1f %%  %10.1f\n",
                       kind_names[kind], 100 * noises[s], 100 * truths[k],
                       100 * (double)looks.student / n, 100 * (double)looks.sequence / n,
                       100 * (double)looks.answered / n, (double)looks.pairs / n);
            }
        }
    }
}

int main(int argc, char **argv)
{
    size_t worlds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 2000;
    if (worlds < 1) {
        (void)fprintf(stderr, "usage: bench_compare [WORLDS]\n");
        return 2;
    }
    printf("%zu simulated worlds a cell; alarms: no difference, and one is said to be there\n",
           worlds);
    for (int way = 0; way < WAYS; way++)
        print_way((enum way)way, worlds);
    print_looks(worlds);
    return 0;
}
