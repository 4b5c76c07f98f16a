/* SPDX-License-Identifier: BSD-3-Clause */
/* Bootstrap over runs: the interval of a ratio of geometric means by resampling. */
#ifndef WTL_ANALYSIS_BOOTSTRAP_H
#define WTL_ANALYSIS_BOOTSTRAP_H

#include <stddef.h>

struct wtl_interval {
    double value, low, high; /* 95 %; value is known where low and high are not */
};

/*
 * 95 % interval of exp(mean(b) - mean(a)), a and b logarithms of single runs that are drawn again
 * with replacement, each side from itself; with b_n 0, of exp(mean(a)): the ratios of pairs.
 * Percentiles, moved outward by what a small sample's percentiles are too narrow: for alpha/2 stands
 * the probability below -sqrt((df + 1) / df) t(df) of a normal distribution, which is Student's
 * interval where the runs are normal (Hesterberg 2015, "expanded percentile interval").
 * The same seed draws the same. 0 or -ENOMEM; NaN in, NaN out.
 */
int wtl_bootstrap_ratio(const double *a,
                        size_t a_n,
                        const double *b,
                        size_t b_n,
                        double df,
                        unsigned seed,
                        size_t resamples,
                        struct wtl_interval *ret_interval);

#endif
