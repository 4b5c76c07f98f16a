/* SPDX-License-Identifier: BSD-3-Clause */
/* A first-order chain of letters: see letter_chain.h. */
#include "analysis/predict/letter_chain.h"

#include <errno.h>
#include <stdlib.h>

struct wtl_letter_chain {
    size_t letters, now; /* now == letters: none yet */
    double count[];      /* [(letters + 1) * letters]: from, to */
};

int wtl_letter_chain_create(size_t letters, struct wtl_letter_chain **ret_chain)
{
    struct wtl_letter_chain *chain =
        calloc(1, sizeof *chain + (letters + 1) * letters * sizeof chain->count[0]);
    if (!chain)
        return -ENOMEM;
    chain->letters = letters;
    chain->now = letters;
    *ret_chain = chain;
    return 0;
}

void wtl_letter_chain_destroy(struct wtl_letter_chain *chain)
{
    free(chain);
}

void wtl_letter_chain_begin(struct wtl_letter_chain *chain)
{
    chain->now = chain->letters;
}

void wtl_letter_chain_observe(struct wtl_letter_chain *chain, uint16_t letter)
{
    chain->count[chain->now * chain->letters + letter]++;
    chain->now = letter;
}

void wtl_letter_chain_predict(const struct wtl_letter_chain *chain,
                              size_t n,
                              uint16_t *ret_letters,
                              double *ret_probabilities)
{
    size_t now = chain->now;
    for (size_t i = 0; i < n; i++) {
        const double *row = &chain->count[now * chain->letters];
        size_t best = 0;
        double sum = 0;
        for (size_t to = 0; to < chain->letters; to++) {
            best = row[to] > row[best] ? to : best;
            sum += row[to];
        }
        /* A letter that nothing followed so far: it stays. */
        now = sum > 0 ? best : now < chain->letters ? now : 0;
        ret_letters[i] = (uint16_t)now;
        if (ret_probabilities)
            ret_probabilities[i] = sum > 0 ? row[best] / sum : 1.0 / (double)chain->letters;
    }
}
