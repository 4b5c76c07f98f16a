/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles of the histogram against those of the sorted values. */
#include "record/lateness.h"

#include "tap.h"

int main(void)
{
    struct wtl_lateness lateness = {0};
    is_int(wtl_lateness_quantile(&lateness, 0.99), 0, "no wake-up, no lateness");
    for (uint64_t i = 1; i <= 100000; i++)
        wtl_lateness_add(&lateness, i * 10);
    static const double quantiles[] = {0.01, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        double want = quantiles[i] * 1000000;
        is_double((double)wtl_lateness_quantile(&lateness, quantiles[i]), want, 0.125 * want,
                  "quantile %g to an eighth", quantiles[i]);
    }
    is_int(lateness.max_ns, 1000000, "the maximum is exact");
    is_int(wtl_lateness_quantile(&lateness, 1), 1000000, "quantile 1 is the maximum");
    wtl_lateness_add(&lateness, UINT64_MAX);
    is_int(lateness.count, 100001, "the greatest number has a bucket, too");
    return done_testing();
}
