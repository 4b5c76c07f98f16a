/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of a comparison in pairs: see pairs.h. */
#include "analysis/compare/pairs.h"

#include <math.h>

#include "base/random.h"

static const double alpha = 0.05;

bool wtl_pairs_b_first(uint64_t seed, size_t pair)
{
    bool first = wtl_random_bits(seed, pair / 2) & 1;
    return pair % 2 ? !first : first;
}

double wtl_pairs_planned(const struct wtl_pairs_plan *plan)
{
    double pairs = wtl_sequence_pairs(plan->log_sd, plan->resolve, alpha);
    return isnan(pairs) ? 10 : fmin(pairs, (double)plan->most);
}

struct wtl_pairs wtl_pairs_start(const struct wtl_pairs_plan *plan)
{
    return (struct wtl_pairs){.plan = *plan,
                              .sequence = wtl_sequence_start(wtl_pairs_planned(plan), alpha)};
}

void wtl_pairs_add(struct wtl_pairs *pairs, double a, double b)
{
    wtl_sequence_add(&pairs->sequence, log(b / a));
}

enum wtl_pairs_state wtl_pairs_state(const struct wtl_pairs *pairs)
{
    size_t n = pairs->sequence.n;
    if (n < pairs->plan.least)
        return WTL_PAIRS_GO_ON;
    if (wtl_sequence_more_pairs(&pairs->sequence, pairs->plan.resolve) == 0)
        return WTL_PAIRS_ANSWERED;
    return pairs->only_least || n >= pairs->plan.most ? WTL_PAIRS_ENOUGH : WTL_PAIRS_GO_ON;
}
