/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of a comparison in pairs: the order, and when it ends. For false alarms and power over
 * many worlds see bench/bench_ab.c. */
#include "analysis/compare/pairs.h"

#include <math.h>

#include "tap.h"

static const struct wtl_pairs_plan plan = {.resolve = 0.01,
                                           .least = 5,
                                           .most = 30,
                                           .log_sd = 0.005};

static void test_order(void)
{
    unsigned b_first = 0, unbalanced = 0, repeated = 0;
    for (size_t pair = 0; pair < 1000; pair += 2) {
        bool one = wtl_pairs_b_first(7, pair), two = wtl_pairs_b_first(7, pair + 1);
        unbalanced += one == two;
        b_first += one;
        repeated += one == wtl_pairs_b_first(8, pair);
    }
    is_int(unbalanced, 0, "each comes first once in two pairs");
    ok(b_first > 200 && b_first < 300, "at random: %u of 500", b_first);
    ok(repeated > 200 && repeated < 300, "another seed is another order: %u of 500", repeated);
}

/* Pairs of B / A = 1 + change, +- half a spread. */
static size_t run(const struct wtl_pairs_plan *of,
                  double change,
                  double spread,
                  bool only_least,
                  enum wtl_pairs_state *ret_state)
{
    struct wtl_pairs pairs = wtl_pairs_start(of);
    pairs.only_least = only_least;
    do {
        double sign = pairs.sequence.n % 2 ? 1 : -1;
        wtl_pairs_add(&pairs, 50, 50 * (1 + change) * exp(sign * spread / 2));
        *ret_state = wtl_pairs_state(&pairs);
    } while (*ret_state == WTL_PAIRS_GO_ON);
    return pairs.sequence.n;
}

static void test_end(void)
{
    enum wtl_pairs_state state;
    is_int(run(&plan, 0.5, 0.001, false, &state), 5, "a large difference: as few as may be");
    is_int(state, WTL_PAIRS_ANSWERED, "is an answer");
    is_int(run(&plan, 0, 0.0001, false, &state), 5, "none at all, well known: the same");
    is_int(state, WTL_PAIRS_ANSWERED, "is one, too");
    is_int(run(&plan, 0, 0, false, &state), 5, "no variation whatsoever");
    is_int(state, WTL_PAIRS_ANSWERED, "is one, too");
    is_int(run(&plan, 0.001, 0.2, false, &state), 30, "much variation: as many as may be");
    is_int(state, WTL_PAIRS_ENOUGH, "and no answer");
    size_t n = run(&plan, 0.01, 0.012, false, &state);
    ok(n > 5 && n < 30 && state == WTL_PAIRS_ANSWERED, "some variation: %zu pairs", n);
    is_int(run(&plan, 0.5, 0.001, true, &state), 5, "where there can be no verdict, no more");
    is_int(run(&plan, 0.001, 0.2, true, &state), 5, "however unclear it is");
    is_int(state, WTL_PAIRS_ENOUGH, "than the least");
    struct wtl_pairs_plan fixed = plan;
    fixed.least = fixed.most = 12;
    is_int(run(&fixed, 0.5, 0.001, false, &state), 12, "a number that was fixed before is kept");
}

static void test_planned(void)
{
    struct wtl_pairs_plan noisy = plan, unknown = plan;
    noisy.log_sd = 0.1;
    unknown.log_sd = NAN;
    double few = wtl_pairs_planned(&plan);
    ok(few > 5 && few < 30, "a quiet machine: %.0f pairs", few);
    is_double(wtl_pairs_planned(&noisy), 30, 0, "a noisy one: no more than may be");
    is_double(wtl_pairs_planned(&unknown), 10, 0, "without a noise floor");
}

int main(void)
{
    test_order();
    test_end();
    test_planned();
    return done_testing();
}
