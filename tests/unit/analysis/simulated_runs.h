/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs with a known truth, for tests of statistics. The same seed gives the same runs. */
#ifndef WATTLE_TESTS_SIMULATED_RUNS_H
#define WATTLE_TESTS_SIMULATED_RUNS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/* A random number from the standard normal distribution, including tails (Box and Muller 1958). */
static inline double simulated_normal(uint64_t stream, uint64_t n)
{
    double radius = sqrt(-2 * log(1 - wtl_random_uniform(stream, 2 * n)));
    return radius * cos(2 * acos(-1.0) * wtl_random_uniform(stream, 2 * n + 1));
}

/* n runs around level whose logarithms vary by log_sd. */
static inline void simulated_runs(double *values,
                                  size_t n,
                                  double level,
                                  double log_sd,
                                  uint64_t stream)
{
    for (size_t i = 0; i < n; i++)
        values[i] = level * exp(log_sd * simulated_normal(stream, i));
}

/* Is a count plausible for n trials of probability p? False with a probability of one in a million
 * if it is. */
static inline bool plausible_rate(size_t count, size_t n, double p)
{
    double mean = (double)n * p, sd = sqrt((double)n * p * (1 - p));
    return fabs((double)count - mean) <= 4.9 * sd + 1;
}

#endif
