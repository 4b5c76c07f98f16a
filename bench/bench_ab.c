/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_ab [WORLDS]: the procedure of "wattle ab" on simulated pairs, using the product's own code
 * (analysis/compare/ab.h for the noise floor, pairs.h for order and end, verdict.h for the words),
 * compared with a fixed number of pairs and with common practice: Student's t, tested after each
 * pair. For each combination of a kind of world and a true difference: how often it says that B
 * differs (at 0 % a false alarm), how often that there is no difference of 1 %, how often its
 * interval covers the truth when it stops, and how many pairs that takes.
 *
 * Worlds: matched ones are normal in the logarithm, as the test assumes. The others are not: tails
 * (one run in 20 is hit by something that costs up to 6 standard deviations), skew (exponential),
 * drift (a random walk through all runs, by one standard deviation every 10 runs, and a trend),
 * order (the second run of a pair uses 1 % more), rounding (values in steps of a standard
 * deviation).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/ab.h"
#include "base/random.h"
#include "model/statistics/student.h"

enum { FLOOR_PAIRS = 5, LEAST = 5, MOST = 100, FIXED = 20 };
static const double resolve = 0.01;

enum kind { MATCHED, TAILS, SKEW, DRIFT, ORDER, STEPS, KINDS };
static const char *const kind_names[] = {"normal", "tails", "skew", "drift", "order", "steps"};

struct world {
    enum kind kind;
    double sd, truth;    /* log sd of a run; true B / A */
    uint64_t stream, at; /* random number stream and position */
    double walk;
    unsigned runs;
};

static double uniform(struct world *world)
{
    return wtl_random_uniform(world->stream, world->at++);
}

static double normal(struct world *world)
{
    return wtl_normal_quantile((uniform(world) * (1 - 0x1p-50)) + 0x1p-52);
}

/* One run of A or B; its energy. */
static double run(struct world *world, int b, int second)
{
    double log_value = b ? log(world->truth) : 0, noise = normal(world);
    switch (world->kind) {
    case TAILS:
        if (uniform(world) < 0.05)
            noise += 6 * uniform(world);
        break;
    case SKEW:
        noise = -log(1 - uniform(world)) - 1;
        break;
    case DRIFT:
        world->walk += world->sd * normal(world) / sqrt(10);
        log_value += world->walk + 0.0005 * world->runs;
        break;
    case ORDER:
        log_value += second ? 0.01 : 0;
        break;
    case STEPS:
        noise = round(noise);
        break;
    default:
        break;
    }
    world->runs++;
    return 100 * exp(log_value + world->sd * noise);
}

static void run_pair(struct world *world,
                     uint64_t seed,
                     size_t pair,
                     int same,
                     double *a,
                     double *b)
{
    int b_first = wtl_pairs_b_first(seed, pair);
    double first = run(world, b_first && !same, 0), second = run(world, !b_first && !same, 1);
    *a = b_first ? second : first;
    *b = b_first ? first : second;
}

/* Results of a method. */
struct tally {
    double worlds, differs, wrong_sign, same, open, covered, pairs;
};

static void count(struct tally *tally,
                  const struct world *world,
                  const struct wtl_interval *ratio,
                  int differs,
                  int same,
                  size_t pairs)
{
    tally->worlds++;
    tally->differs += differs;
    tally->wrong_sign += differs && (ratio->value - 1) * (world->truth - 1) < 0;
    tally->same += same;
    tally->open += !differs && !same;
    tally->covered += ratio->low <= world->truth && world->truth <= ratio->high;
    tally->pairs += (double)pairs;
}

static double floor_of(struct world *world, uint64_t seed)
{
    struct wtl_result runs[2 * FLOOR_PAIRS];
    for (size_t i = 0; i < FLOOR_PAIRS; i++) {
        runs[2 * i] = runs[2 * i + 1] = wtl_result_unknown();
        run_pair(world, ~seed, i, 1, &runs[2 * i].energy.j, &runs[2 * i + 1].energy.j);
    }
    return wtl_noise_floor_of(runs, FLOOR_PAIRS).of[WTL_METRIC_ENERGY].log_sd;
}

/* The procedure of "wattle ab". */
static void by_wattle(struct world *world, uint64_t seed, struct tally *tally)
{
    struct wtl_pairs_plan plan = {.resolve = resolve, .least = LEAST, .most = MOST};
    plan.log_sd = floor_of(world, seed);
    struct wtl_pairs pairs = wtl_pairs_start(&plan);
    do {
        double a, b;
        run_pair(world, seed, pairs.sequence.n, 0, &a, &b);
        wtl_pairs_add(&pairs, a, b);
    } while (wtl_pairs_state(&pairs) == WTL_PAIRS_GO_ON);
    struct wtl_verdict_question question = {
        .words = {"uses", "energy"}, .resolve = resolve, .alpha = 0.05};
    struct wtl_verdict verdict = wtl_verdict_of_sequence(&pairs.sequence, &question);
    struct wtl_interval ratio = wtl_sequence_ratio(&pairs.sequence);
    int differs = verdict.kind == WTL_VERDICT_LESS || verdict.kind == WTL_VERDICT_MORE;
    count(tally, world, &ratio, differs, verdict.kind == WTL_VERDICT_SAME, pairs.sequence.n);
}

/* Student's interval over pairs: at FIXED pairs, or (peek) after each until it excludes 1 or is
 * within the irrelevant range. */
static void by_student(struct world *world, uint64_t seed, int peek, struct tally *tally)
{
    double mean = 0, squares = 0;
    struct wtl_interval ratio = {1, 0, INFINITY};
    size_t n = 0, most = peek ? MOST : FIXED;
    int differs = 0, same = 0;
    while (n < most && !differs && !same) {
        double a, b;
        run_pair(world, seed, n, 0, &a, &b);
        n++;
        double off = log(b / a) - mean;
        mean += off / (double)n;
        squares += off * (log(b / a) - mean);
        if (n < LEAST || (!peek && n < most))
            continue;
        double error = sqrt(squares / (double)(n - 1) / (double)n);
        double half = wtl_student_quantile(0.975, (double)n - 1) * error;
        ratio = (struct wtl_interval){exp(mean), exp(mean - half), exp(mean + half)};
        differs = ratio.low > 1 || ratio.high < 1;
        same = !differs && ratio.high <= 1 + resolve && ratio.low >= 1 / (1 + resolve);
    }
    count(tally, world, &ratio, differs, same, n);
}

static void print(const char *method, const struct tally *t)
{
    (void)printf("   %-14s %7.1f %7.1f %7.1f %7.1f %8.1f %7.1f\n", method,
                 100 * t->differs / t->worlds, 100 * t->wrong_sign / t->worlds,
                 100 * t->same / t->worlds, 100 * t->open / t->worlds, 100 * t->covered / t->worlds,
                 t->pairs / t->worlds);
}

static void cell(enum kind kind, double sd, double truth, unsigned worlds)
{
    struct tally wattle = {0}, fixed = {0}, peek = {0};
    for (unsigned i = 0; i < worlds; i++) {
        struct world base = {.kind = kind, .sd = sd, .truth = truth};
        base.stream = wtl_random_bits(((uint64_t)kind << 32) + (uint64_t)(sd * 1e6), i) +
                      (uint64_t)(truth * 1e6);
        uint64_t seed = wtl_random_bits(base.stream, 1);
        struct world a = base, b = base, c = base;
        by_wattle(&a, seed, &wattle);
        by_student(&b, seed, 0, &fixed);
        by_student(&c, seed, 1, &peek);
    }
    (void)printf(" %s, a run varies by %g %%, B uses %g %% more\n", kind_names[kind], 100 * sd,
                 100 * (truth - 1));
    print("wattle ab", &wattle);
    print("fixed, 20", &fixed);
    print("peek, naive t", &peek);
}

int main(int argc, char **argv)
{
    static const double truths[] = {1, 1.01, 1.02, 1.05}, sds[] = {0.005, 0.01, 0.02};
    int asked = argc > 1 ? atoi(argv[1]) : 2000;
    unsigned worlds = asked > 0 ? (unsigned)asked : 1;
    (void)printf("%u worlds a cell; resolve 1 %%, %d to %d pairs, noise floor of %d pairs (not "
                 "counted); in per cent\n",
                 worlds, LEAST, MOST, FLOOR_PAIRS);
    (void)printf("   %-14s %7s %7s %7s %7s %8s %7s\n", "", "differs", "(wrong)", "same", "open",
                 "covered", "pairs");
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t s = 0; s < sizeof sds / sizeof *sds; s++) {
            for (size_t t = 0; t < sizeof truths / sizeof *truths; t++) {
                if (kind == MATCHED || sds[s] == 0.01)
                    cell((enum kind)kind, sds[s], truths[t], worlds);
            }
        }
    }
    return 0;
}
