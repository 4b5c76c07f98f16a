/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which letters come next. Letters are of fixed length (wtl_dna_slots), numbered from 0; a letter beyond those announced,
 * as WTL_DNA_UNKNOWN, is one more of its own.
 *
 *     wtl_predictor_create(letters, NULL, &predictor);
 *     wtl_predictor_train(predictor, list, n);      each known run, from its beginning to its end
 *     wtl_predictor_begin(predictor);               a run starts
 *     wtl_predictor_observe(predictor, letter);     each of its letters
 *     wtl_predictor_predict(predictor, n, path, probability);
 *     wtl_predictor_destroy(predictor);
 *
 * Kinds: WTL_PREDICT_RUNS (default): contexts of variable order over runs of letters, weighted as in context-tree
 * weighting, with the length of the current run, and an estimate of how often a letter is misread. CHAIN: first order, as
 * in the paper. LAST: repeats the last letter. GPHT: the global phase history table (Isci, Contreras, Martonosi 2006).
 */
#ifndef WTL_ANALYSIS_PREDICT_PREDICTOR_H
#define WTL_ANALYSIS_PREDICT_PREDICTOR_H

#include <stddef.h>
#include <stdint.h>

struct wtl_predictor;

#define WTL_PREDICT_LETTERS 4096 /* at most */

enum wtl_predictor_kind {
    WTL_PREDICT_RUNS,
    WTL_PREDICT_CHAIN,
    WTL_PREDICT_LAST,
    WTL_PREDICT_GPHT,
    WTL_PREDICT_KINDS
};
extern const char *const wtl_predictor_kind_names[]; /* [WTL_PREDICT_KINDS], then NULL */

struct wtl_predictor_options {
    enum wtl_predictor_kind kind;
    unsigned order;   /* RUNS: longest context in runs, 0 = 24; GPHT: history, 0 = 8 */
    unsigned entries; /* GPHT: of its table, least recently used replaced; 0 = default (1024) */
};

/* options NULL = defaults. 0, -EINVAL for no or too many letters, -ENOMEM. */
int wtl_predictor_create(size_t letters,
                         const struct wtl_predictor_options *options,
                         struct wtl_predictor **ret_predictor);
void wtl_predictor_destroy(struct wtl_predictor *predictor); /* accepts NULL */

/* Learn from a complete run. 0, -ENOMEM. */
int wtl_predictor_train(struct wtl_predictor *predictor, const uint16_t *letters, size_t n);

/* A run to be predicted begins; what was learnt stays. */
int wtl_predictor_begin(struct wtl_predictor *predictor);
/* Its next letter, which is learnt, too. 0, -ENOMEM. */
int wtl_predictor_observe(struct wtl_predictor *predictor, uint16_t letter);

/*
 * The next n letters: for each the most probable one at that distance, over all ways to get there, and its probability
 * (NULL = not wanted). The end of the run is WTL_PREDICT_END, for this letter and all after it. Before anything is
 * known: the last letter, with the probability 1 / letters. 0, -ENOMEM.
 */
#define WTL_PREDICT_END ((uint16_t)0xfffe)
int wtl_predictor_predict(const struct wtl_predictor *predictor,
                          size_t n,
                          uint16_t *ret_letters,
                          double *ret_probabilities);

#endif
