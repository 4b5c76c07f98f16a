/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Platform: energy and time of a program on one platform from its run on another. How much longer and how much more
 * energy each letter takes there is learnt from what ran on both: a few kernels, and the beginning of the program
 * itself. Letters that ran on one only follow from those with similar counters (a Gaussian process over the centres of
 * the letters: a common ratio, a linear part, a smooth part, and one of the letter's own), with their uncertainty.
 *
 * Pure: numbers by letter. One thread per model.
 */
#ifndef WTL_ANALYSIS_PLATFORM_H
#define WTL_ANALYSIS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

/*
 * The paper's estimate: the measured part, and the rest of the reference times the ratio of what both took for the same
 * letters, E_tar + E_tar / E_ref * (E_total - E_ref). Returns 0; -EDOM if that ratio does not exist, with a sentence.
 */
int wtl_platform_paper(double target_j,
                       double reference_j,
                       double reference_total_j,
                       double *ret_j,
                       struct wattle_error *err);

/* One letter that ran on both. */
struct wtl_platform_pair {
    size_t letter;
    double reference_s, reference_j, target_s, target_j;
};

/* What a letter takes on the target over what it takes on the reference: logarithms with their standard deviation. */
struct wtl_platform_ratio {
    double log_time, sd_time, log_energy, sd_energy;
};

struct wtl_platform_model;

/*
 * Learn from pairs. centres: [letters * columns] counter rates on the reference. Returns 0; -ENODATA: no pair with time
 * and energy on both sides; -EDOM: pairs contradict each other; -ENOMEM; with a sentence.
 */
int wtl_platform_learn(const double *centres,
                       size_t letters,
                       size_t columns,
                       const struct wtl_platform_pair *pairs,
                       size_t count,
                       struct wtl_platform_model **ret_model,
                       struct wattle_error *err);
void wtl_platform_destroy(struct wtl_platform_model *model);

/* Of one letter < letters. 0 or -ENOMEM; so is the next one. */
int wtl_platform_ratio(const struct wtl_platform_model *model,
                       size_t letter,
                       struct wtl_platform_ratio *ret_ratio);

/* A sum over letters, with its 95 % interval. */
struct wtl_platform_sum {
    double energy_j, energy_low_j, energy_high_j;
    double time_s, time_low_s, time_high_s;
};

/* Time and energy on the target of what took seconds[letter] and joules[letter] on the reference. */
int wtl_platform_sum(const struct wtl_platform_model *model,
                     const double *seconds,
                     const double *joules,
                     struct wtl_platform_sum *ret_sum);

#endif
