/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Embarrassingly parallel, as EP of the NAS benchmarks: pairs of normal random numbers by Marsaglia's polar method, counted by
 * their size. One phase only, bound by the processor: hardly a reference to memory.
 */
#include "kernel.h"

#include <math.h>

int main(int argc, char **argv)
{
    enum { PAIRS = 2000000 };
    uint64_t state = 271828183, pairs = 0, counts[10] = {0};
    double squares = 0;
    kernel_start(argc, argv,
                 "Count pairs of normal random numbers: one phase, bound by the processor.");
    while (kernel_goes_on()) {
        for (int i = 0; i < PAIRS; i++) {
            double x = 2 * kernel_uniform(&state) - 1, y = 2 * kernel_uniform(&state) - 1;
            double t = x * x + y * y;
            if (t > 1 || t == 0)
                continue;
            double scale = sqrt(-2 * log(t) / t);
            double size = fmax(fabs(x * scale), fabs(y * scale));
            counts[size < 9 ? (int)size : 9]++;
            squares += t * scale * scale;
            pairs++;
        }
    }
    uint64_t all = 0;
    for (int i = 0; i < 10; i++)
        all += counts[i];
    double variance = squares / (2 * (double)pairs); /* 1 for normal numbers */
    return kernel_end("variance", variance, all == pairs && fabs(variance - 1) < 0.01);
}
