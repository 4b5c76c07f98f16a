/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the power gauge of a GPU shows of a power that is known: a value that is published every period and averages a
 * window, which may be a part of the period only, of a power that a first-order filter may have smoothed, some time ago,
 * in steps of a quantum, with an error of the sensor. Pure: time is an argument, any order, the same number.
 *
 *     struct wtl_gpu_truth truth = {.energy_j = energy, .context = world, .start_ns = start, .before_w = 60};
 *     struct wtl_gpu_gauge gauge = {.period_ns = 100000000, .window_ns = 25000000, .quantum_w = 0.01};
 *     double watts = wtl_gpu_gauge_w(&gauge, &truth, now_ns);
 */
#ifndef WTL_SIM_GPU_GAUGE_H
#define WTL_SIM_GPU_GAUGE_H

#include <stdint.h>

struct wtl_gpu_gauge {
    uint64_t period_ns; /* between two values; > 0 */
    uint64_t phase_ns;  /* of the first value after the start */
    double
        jitter_ns; /* each value comes up to this much earlier or later; limited to 0.49 periods */
    uint64_t
        window_ns; /* of the average; 0 = the power at one instant. Shorter than the period: the rest is never seen */
    uint64_t delay_ns; /* from the end of the window until the value is published */
    double tau_s;      /* of a first-order filter before the window; 0 = none */
    double quantum_w;  /* values are multiples of it, rounded to the nearest; 0 = none */
    double gain;       /* error of the sensor: it shows power * (1 + gain) + offset_w */
    double offset_w;
    double noise_w; /* standard deviation, of each value anew */
    uint64_t seed;  /* of jitter and noise */
};

/* The truth: joules from start_ns to any later instant, and the constant watts before it. */
struct wtl_gpu_truth {
    double (*energy_j)(void *context, uint64_t time_ns);
    void *context;
    uint64_t start_ns;
    double before_w;
};

/* The value shown at time_ns is the one published at *ret_ns <= time_ns; returns its number, negative before the first one
 * after the start. A gauge that was there before always shows something. */
int64_t wtl_gpu_gauge_update(const struct wtl_gpu_gauge *gauge,
                             uint64_t start_ns,
                             uint64_t time_ns,
                             int64_t *ret_ns);
/* When value k is published: CLOCK_MONOTONIC as start_ns, and possibly before it. */
int64_t wtl_gpu_gauge_update_ns(const struct wtl_gpu_gauge *gauge, uint64_t start_ns, int64_t k);
/* Value k, in watts. */
double wtl_gpu_gauge_value_w(const struct wtl_gpu_gauge *gauge,
                             const struct wtl_gpu_truth *truth,
                             int64_t k);
/* What is shown at time_ns, in watts. */
double wtl_gpu_gauge_w(const struct wtl_gpu_gauge *gauge,
                       const struct wtl_gpu_truth *truth,
                       uint64_t time_ns);

#endif
