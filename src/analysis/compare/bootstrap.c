/* SPDX-License-Identifier: BSD-3-Clause */
/* Bootstrap over runs: see bootstrap.h. T. C. Hesterberg, What Teachers Should Know About the
 * Bootstrap, The American Statistician 69 (2015), section 4.3. */
#include "analysis/compare/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/whole.h"
#include "model/statistics/quantile.h"
#include "model/statistics/student.h"

/* Mean of n values drawn from n with replacement; draws are numbered on from *at. */
static double mean_again(const double *values, size_t n, uint64_t stream, uint64_t *at)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[(size_t)(wtl_random_uniform(stream, (*at)++) * (double)n)];
    return n ? sum / (double)n : 0;
}

int wtl_bootstrap_ratio(const double *a,
                        size_t a_n,
                        const double *b,
                        size_t b_n,
                        double df,
                        unsigned seed,
                        size_t resamples,
                        struct wtl_interval *ret_interval)
{
    double sum_a = 0, sum_b = 0;
    for (size_t i = 0; i < a_n; i++)
        sum_a += a[i];
    for (size_t i = 0; i < b_n; i++)
        sum_b += b[i];
    double mean = b_n ? sum_b / (double)b_n - sum_a / (double)a_n : sum_a / (double)a_n;
    if (isnan(mean) || resamples == 0) {
        *ret_interval = (struct wtl_interval){exp(mean), NAN, NAN};
        return 0;
    }
    double *means = malloc(resamples * sizeof *means);
    if (!means)
        return -ENOMEM;
    uint64_t stream = wtl_random_bits(seed, 0x626f6f74), at = 0;
    for (size_t i = 0; i < resamples; i++) {
        double drawn_a = mean_again(a, a_n, stream, &at);
        means[i] = b_n ? mean_again(b, b_n, stream, &at) - drawn_a : drawn_a;
    }
    wtl_sort_numbers(means, resamples);
    double tail = wtl_normal_probability(-sqrt((df + 1) / df) * wtl_student_quantile(0.975, df));
    *ret_interval = (struct wtl_interval){exp(mean), exp(wtl_bound_sorted(means, resamples, tail)),
                                          exp(wtl_bound_sorted(means, resamples, 1 - tail))};
    free(means);
    return 0;
}
