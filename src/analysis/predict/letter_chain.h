/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The predictor of the paper: the most probable transition of the last letter, again and again; of equal ones that to the
 * letter with the smaller number. It repeats itself after at most as many steps as there are letters.
 */
#ifndef WTL_ANALYSIS_PREDICT_LETTER_CHAIN_H
#define WTL_ANALYSIS_PREDICT_LETTER_CHAIN_H

#include <stddef.h>
#include <stdint.h>

struct wtl_letter_chain;

int wtl_letter_chain_create(size_t letters, struct wtl_letter_chain **ret_chain); /* 0 or -ENOMEM */
void wtl_letter_chain_destroy(struct wtl_letter_chain *chain);                    /* accepts NULL */
void wtl_letter_chain_begin(struct wtl_letter_chain *chain);
void wtl_letter_chain_observe(struct wtl_letter_chain *chain, uint16_t letter);
void wtl_letter_chain_predict(const struct wtl_letter_chain *chain,
                              size_t n,
                              uint16_t *ret_letters,
                              double *ret_probabilities);

#endif
