/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of predictors under one roof: see predictor.h. Inside, two more letters follow those announced: any other one,
 * and the end of a run. */
#include "analysis/predict/predictor.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/phases/dna.h"
#include "analysis/predict/history_table.h"
#include "analysis/predict/letter_chain.h"
#include "analysis/predict/run_filter.h"

/* RUNS is two filters: one that takes letters as read, one that does not. The better one predicts. */
enum { AS_READ, MISREAD, FILTERS };

struct wtl_predictor {
    enum wtl_predictor_kind kind;
    size_t letters;
    uint16_t last;
    struct wtl_letter_chain *chain;
    struct wtl_history_table *table;
    struct wtl_run_filter *filters[FILTERS];
};

const char *const wtl_predictor_kind_names[] = {"runs", "chain", "last", "gpht", NULL};

int wtl_predictor_create(size_t letters,
                         const struct wtl_predictor_options *options,
                         struct wtl_predictor **ret_predictor)
{
    struct wtl_predictor_options chosen = {.kind = WTL_PREDICT_RUNS};
    chosen = options ? *options : chosen;
    if (letters < 1 || letters > WTL_PREDICT_LETTERS || chosen.kind >= WTL_PREDICT_KINDS)
        return -EINVAL;
    struct wtl_predictor *predictor = calloc(1, sizeof *predictor);
    if (!predictor)
        return -ENOMEM;
    unsigned order = chosen.order ? chosen.order : chosen.kind == WTL_PREDICT_GPHT ? 8 : 24;
    predictor->kind = chosen.kind;
    predictor->letters = letters;
    int rc = 0;
    if (chosen.kind == WTL_PREDICT_CHAIN)
        rc = wtl_letter_chain_create(letters + 2, &predictor->chain);
    else if (chosen.kind == WTL_PREDICT_GPHT)
        rc = wtl_history_table_create(order, chosen.entries ? chosen.entries : 1024,
                                      &predictor->table);
    for (size_t i = 0; chosen.kind == WTL_PREDICT_RUNS && i < FILTERS && rc == 0; i++)
        rc = wtl_run_filter_create(letters + 2, order, i == MISREAD, &predictor->filters[i]);
    if (rc < 0) {
        wtl_predictor_destroy(predictor);
        return rc;
    }
    *ret_predictor = predictor;
    return 0;
}

void wtl_predictor_destroy(struct wtl_predictor *predictor)
{
    if (!predictor)
        return;
    wtl_letter_chain_destroy(predictor->chain);
    wtl_history_table_destroy(predictor->table);
    for (size_t i = 0; i < FILTERS; i++)
        wtl_run_filter_destroy(predictor->filters[i]);
    free(predictor);
}

static int observe(struct wtl_predictor *predictor, uint16_t letter)
{
    int rc = 0;
    predictor->last = letter;
    if (predictor->chain)
        wtl_letter_chain_observe(predictor->chain, letter);
    if (predictor->table)
        wtl_history_table_observe(predictor->table, letter);
    for (size_t i = 0; i < FILTERS && predictor->filters[i] && rc == 0; i++)
        rc = wtl_run_filter_observe(predictor->filters[i], letter, predictor->filters[AS_READ]);
    return rc;
}

int wtl_predictor_observe(struct wtl_predictor *predictor, uint16_t letter)
{
    return observe(predictor, letter < predictor->letters ? letter : (uint16_t)predictor->letters);
}

int wtl_predictor_begin(struct wtl_predictor *predictor)
{
    predictor->last = 0;
    if (predictor->chain)
        wtl_letter_chain_begin(predictor->chain);
    if (predictor->table)
        wtl_history_table_begin(predictor->table);
    int rc = 0;
    for (size_t i = 0; i < FILTERS && predictor->filters[i] && rc == 0; i++)
        rc = wtl_run_filter_begin(predictor->filters[i]);
    return rc;
}

int wtl_predictor_train(struct wtl_predictor *predictor, const uint16_t *letters, size_t n)
{
    int rc = wtl_predictor_begin(predictor);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = wtl_predictor_observe(predictor, letters[i]);
    for (size_t i = 0; i < FILTERS && predictor->filters[i] && rc == 0; i++)
        rc = wtl_run_filter_end(predictor->filters[i]);
    if (!predictor->filters[0] && rc == 0)
        rc = observe(predictor, (uint16_t)(predictor->letters + 1));
    return rc < 0 ? rc : wtl_predictor_begin(predictor);
}

static const struct wtl_run_filter *better(const struct wtl_predictor *predictor)
{
    double as_read = wtl_run_filter_evidence(predictor->filters[AS_READ]);
    double misread = wtl_run_filter_evidence(predictor->filters[MISREAD]);
    return predictor->filters[misread > as_read ? MISREAD : AS_READ];
}

int wtl_predictor_predict(const struct wtl_predictor *predictor,
                          size_t n,
                          uint16_t *ret_letters,
                          double *ret_probabilities)
{
    int rc = 0;
    if (predictor->chain)
        wtl_letter_chain_predict(predictor->chain, n, ret_letters, ret_probabilities);
    else if (predictor->table)
        rc = wtl_history_table_predict(predictor->table, n, ret_letters, ret_probabilities);
    else if (predictor->filters[0])
        rc = wtl_run_filter_predict(better(predictor), n, ret_letters, ret_probabilities);
    for (size_t i = 0; i < n && predictor->kind == WTL_PREDICT_LAST; i++) {
        ret_letters[i] = predictor->last;
        if (ret_probabilities)
            ret_probabilities[i] = 1.0 / (double)predictor->letters;
    }
    size_t known = predictor->letters;
    for (size_t i = 0; i < n && rc == 0; i++)
        ret_letters[i] = ret_letters[i] < known    ? ret_letters[i]
                         : ret_letters[i] == known ? WTL_DNA_UNKNOWN
                                                   : WTL_PREDICT_END;
    return rc;
}
