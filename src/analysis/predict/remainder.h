/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remainder: what a run still takes, from what its predecessors took after the same letter. If they are enough, what they took
 * before it is used, too: a run that began with more may go on with more. The result is a t distribution, so that its interval
 * is right for few runs as well; several candidate programs are a mixture of them.
 *
 * Pure numbers: joules or seconds.
 */
#ifndef WTL_ANALYSIS_REMAINDER_H
#define WTL_ANALYSIS_REMAINDER_H

#include <stdbool.h>
#include <stddef.h>

struct wtl_remainder {
    double mean, sd, df; /* sd NaN: one predecessor, which says nothing about the spread */
    double weight;       /* in a mixture */
};

/* From n > 0 predecessors, each with what it took before and after. */
struct wtl_remainder wtl_remainder_of(const double *before,
                                      const double *after,
                                      size_t n,
                                      double before_now);

/* The quantile p of a mixture of n, not below 0; NaN if one of them has no spread. */
double wtl_remainder_quantile(const struct wtl_remainder *parts, size_t n, double p);

#endif
