/* SPDX-License-Identifier: BSD-3-Clause */
/* Bootstrap over runs: the interval of a ratio of geometric means by resampling. */
#ifndef WTL_ANALYSIS_BOOTSTRAP_H
#define WTL_ANALYSIS_BOOTSTRAP_H

#include <stddef.h>

struct wtl_interval {
    double value, low, high; /* 95 %; value can be known without low and high */
};

/*
 * 95 % interval of exp(mean(b) - mean(a)), where a and b are logarithms of single runs, resampled
 * with replacement within each side; with b_n 0, of exp(mean(a)): the ratios of pairs.
 * Percentiles, moved outward since those of a small sample are too narrow: alpha/2 is replaced by
 * the probability below -sqrt((df + 1) / df) t(df) of a normal distribution, which gives Student's
 * interval if the runs are normal (Hesterberg 2015, "expanded percentile interval").
 * The same seed gives the same result. 0 or -ENOMEM; NaN in, NaN out.
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
