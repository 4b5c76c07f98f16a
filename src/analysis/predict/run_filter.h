/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Letters as they are read, and as they are: a letter may be misread, and one that is wrong would break every context it
 * is part of. A few hypotheses of what the run really was are kept, each with its probability; what is learnt is the most
 * probable one, some letters later. How often letters are misread is learnt, too.
 */
#ifndef WTL_ANALYSIS_PREDICT_RUN_FILTER_H
#define WTL_ANALYSIS_PREDICT_RUN_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_run_filter;

/* Letters are 0 to symbols - 1, of which the last is the end of a run. misreads: false = letters are taken as read.
 * 0 or -ENOMEM. */
int wtl_run_filter_create(size_t symbols,
                          unsigned order,
                          bool misreads,
                          struct wtl_run_filter **ret_filter);
void wtl_run_filter_destroy(struct wtl_run_filter *filter); /* accepts NULL */

/* A run begins; whether another one ended here is not known. 0 or -ENOMEM. */
int wtl_run_filter_begin(struct wtl_run_filter *filter);
/* Its next letter. as_read: a filter without misreads that has read the same letters; not used by such a filter itself.
 * 0 or -ENOMEM. */
int wtl_run_filter_observe(struct wtl_run_filter *filter,
                           uint16_t letter,
                           const struct wtl_run_filter *as_read);
/* It ends. 0 or -ENOMEM. */
int wtl_run_filter_end(struct wtl_run_filter *filter);

/* How well it predicts: the mean logarithm of the probability of what was read, old letters counting less. */
double wtl_run_filter_evidence(const struct wtl_run_filter *filter);

/* The most probable letter at each distance 1 to n and its probability. 0 or -ENOMEM. */
int wtl_run_filter_predict(const struct wtl_run_filter *filter,
                           size_t n,
                           uint16_t *ret_letters,
                           double *ret_probabilities);

#endif
