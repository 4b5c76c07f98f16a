/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs: the course of a comparison of two commands that take turns: which runs first, the values so
 * far, when it ends. Used by "wattle ab" and, with simulated pairs, by bench/bench_ab.c.
 */
#ifndef WTL_ANALYSIS_PAIRS_H
#define WTL_ANALYSIS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/compare/sequence.h"

struct wtl_pairs_plan {
    double resolve;     /* the difference that matters, 0.01 = 1 % */
    size_t least, most; /* pairs */
    double log_sd;      /* of single runs, from a noise floor; NaN = unknown */
};

struct wtl_pairs {
    struct wtl_pairs_plan plan;
    struct wtl_sequence sequence;
    bool only_least; /* no verdict is possible: only the minimum number of pairs is run */
};

enum wtl_pairs_state {
    WTL_PAIRS_GO_ON,
    WTL_PAIRS_ANSWERED, /* the interval excludes 1, or lies within what does not matter */
    WTL_PAIRS_ENOUGH,   /* the maximum number of pairs was reached */
};

/* Does B come first in this pair? In every two pairs each comes first once, by the seed: a drift of the
 * machine, or an advantage of the second run, affects both alike. */
bool wtl_pairs_b_first(uint64_t seed, size_t pair);

/* How many pairs it is likely to take, from the noise floor; 10 without one. At most
 * plan->most. */
double wtl_pairs_planned(const struct wtl_pairs_plan *plan);

struct wtl_pairs wtl_pairs_start(const struct wtl_pairs_plan *plan);

/* One pair's values, both known and above 0. */
void wtl_pairs_add(struct wtl_pairs *pairs, double a, double b);

/* The state after each pair. */
enum wtl_pairs_state wtl_pairs_state(const struct wtl_pairs *pairs);

#endif
