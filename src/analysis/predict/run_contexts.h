/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long runs of one letter last and which letter follows, from the runs before: counts for contexts of every order,
 * general ones first. A run is a letter and the number of times it is repeated. Two families of contexts: the letters of
 * the last runs, and these letters with their lengths. The first is what programs with varying durations need, the second
 * those in which a length decides what follows.
 *
 * Each order refines the probability of the one before it, as far as its counts were right so far: the weight of an order
 * with few counts, all equal or not, is learnt over all contexts of that order (online expectation maximisation of the
 * weight of a mixture). Counts are of runs, not of letters, so that memory grows with the number of runs.
 */
#ifndef WTL_ANALYSIS_PREDICT_RUN_CONTEXTS_H
#define WTL_ANALYSIS_PREDICT_RUN_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WTL_RUN_ORDER_MAX = 24 };

/* Where a run stands. */
struct wtl_run_state {
    uint32_t elapsed; /* letters of the current run; 0 only before the first */
    uint16_t letter[WTL_RUN_ORDER_MAX + 1]; /* [0] = the current one, then the runs before it */
    uint32_t length[WTL_RUN_ORDER_MAX + 1]; /* [i] of letter[i], i >= 1; 0 = not known */
};

struct wtl_run_contexts;

/* Letters are 0 to symbols - 1; the state before a run has the letter `symbols`. 0 or -ENOMEM. */
int wtl_run_contexts_create(size_t symbols, unsigned order, struct wtl_run_contexts **ret_contexts);
void wtl_run_contexts_destroy(struct wtl_run_contexts *contexts); /* accepts NULL */

void wtl_run_state_start(const struct wtl_run_contexts *contexts, struct wtl_run_state *ret_state);
/* The state after one more letter. */
void wtl_run_state_add(const struct wtl_run_contexts *contexts,
                       struct wtl_run_state *state,
                       uint16_t letter);
/* Forget lengths that no count depends on, so that states that predict the same are equal. */
void wtl_run_state_trim(const struct wtl_run_contexts *contexts, struct wtl_run_state *state);

/*
 * Leave out this many of each count, as if what is predicted had not been learnt: 1 while the letters that were learnt are
 * judged again, 0 otherwise.
 */
void wtl_run_contexts_leave_out(struct wtl_run_contexts *contexts, unsigned count);

/* The probability that the run ends now, 0 to 1. */
double wtl_run_ends(const struct wtl_run_contexts *contexts, const struct wtl_run_state *state);
/* If it does: the probability of each letter, [symbols]; the current one has 0. */
void wtl_run_follows(const struct wtl_run_contexts *contexts,
                     const struct wtl_run_state *state,
                     double *ret_probability);

/* Learn that `letter` follows. 0 or -ENOMEM. */
int wtl_run_contexts_learn(struct wtl_run_contexts *contexts,
                           const struct wtl_run_state *state,
                           uint16_t letter);

#endif
