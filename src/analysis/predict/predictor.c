/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of predictors under one roof: see predictor.h. Inside, two more letters follow those announced: any other one,
 * and the end of a run. */
#include "analysis/predict/predictor.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/dna.h"
#include "analysis/predict/run_filter.h"
#include "base/hash.h"

/* ---- history table ---- */

/*
 * The global phase history table, GPHT (C. Isci, G. Contreras, M. Martonosi, Live, runtime phase monitoring and prediction,
 * MICRO 2006): the last letters are looked up in a table of patterns, each with the letter that followed it last time. A
 * pattern that is not in the table predicts the last letter; the least recently used one gives way.
 */

struct entry {
    uint64_t pattern, used; /* used: when last, 0 = free */
    uint16_t next;
};

struct wtl_history_table {
    unsigned history, entries;
    uint64_t time, right, predicted;
    size_t filled;     /* letters in the history */
    uint16_t *letters; /* [history], the latest last */
    struct entry list[];
};

/* 0 or -ENOMEM. */
static int history_table_create(unsigned history,
                                unsigned entries,
                                struct wtl_history_table **ret_table)
{
    struct wtl_history_table *table = calloc(1, sizeof *table + entries * sizeof table->list[0]);
    uint16_t *letters = calloc(history, sizeof *letters);
    if (!table || !letters) {
        free(table);
        free(letters);
        return -ENOMEM;
    }
    table->history = history;
    table->entries = entries;
    table->letters = letters;
    *ret_table = table;
    return 0;
}

/* Accepts NULL. */
static void history_table_destroy(struct wtl_history_table *table)
{
    if (table)
        free(table->letters);
    free(table);
}

static void history_table_begin(struct wtl_history_table *table)
{
    table->filled = 0;
}

static void shift(uint16_t *letters, size_t *filled, size_t history, uint16_t letter)
{
    if (*filled == history)
        memmove(letters, letters + 1, (history - 1) * sizeof *letters);
    else
        (*filled)++;
    letters[*filled - 1] = letter;
}

static uint64_t pattern_of(const uint16_t *letters, size_t filled)
{
    return wtl_hash_bytes(WTL_HASH_START, letters, filled * sizeof *letters);
}

static size_t find(const struct wtl_history_table *table, uint64_t pattern, bool *ret_found)
{
    size_t oldest = 0;
    for (size_t i = 0; i < table->entries; i++) {
        if (table->list[i].used > 0 && table->list[i].pattern == pattern) {
            *ret_found = true;
            return i;
        }
        oldest = table->list[i].used < table->list[oldest].used ? i : oldest;
    }
    *ret_found = false;
    return oldest;
}

static uint16_t next_of(const struct wtl_history_table *table,
                        const uint16_t *letters,
                        size_t filled)
{
    bool found;
    size_t i = find(table, pattern_of(letters, filled), &found);
    return found ? table->list[i].next : filled > 0 ? letters[filled - 1] : 0;
}

static void history_table_observe(struct wtl_history_table *table, uint16_t letter)
{
    bool found;
    uint64_t pattern = pattern_of(table->letters, table->filled);
    struct entry *entry = &table->list[find(table, pattern, &found)];
    table->predicted++;
    table->right += next_of(table, table->letters, table->filled) == letter;
    *entry = (struct entry){pattern, ++table->time, letter};
    shift(table->letters, &table->filled, table->history, letter);
}

/* The next n letters, each prediction taken as history of the one after it; the probability is how often the table was
 * right so far. 0 or -ENOMEM. */
static int history_table_predict(const struct wtl_history_table *table,
                                 size_t n,
                                 uint16_t *ret_letters,
                                 double *ret_probabilities)
{
    uint16_t *letters = malloc(table->history * sizeof *letters);
    size_t filled = table->filled;
    double right = ((double)table->right + 0.5) / ((double)table->predicted + 1);
    if (!letters)
        return -ENOMEM;
    memcpy(letters, table->letters, table->history * sizeof *letters);
    for (size_t i = 0; i < n; i++) {
        ret_letters[i] = next_of(table, letters, filled);
        if (ret_probabilities)
            ret_probabilities[i] = right;
        shift(letters, &filled, table->history, ret_letters[i]);
    }
    free(letters);
    return 0;
}

/* ---- chain of letters ---- */

/*
 * The predictor of the paper: the most probable transition of the last letter, again and again; of equal ones that to the
 * letter with the smaller number. It repeats itself after at most as many steps as there are letters.
 */

struct wtl_letter_chain {
    size_t letters, now; /* now == letters: none yet */
    double count[];      /* [(letters + 1) * letters]: from, to */
};

/* 0 or -ENOMEM. */
static int letter_chain_create(size_t letters, struct wtl_letter_chain **ret_chain)
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

/* Accepts NULL. */
static void letter_chain_destroy(struct wtl_letter_chain *chain)
{
    free(chain);
}

static void letter_chain_begin(struct wtl_letter_chain *chain)
{
    chain->now = chain->letters;
}

static void letter_chain_observe(struct wtl_letter_chain *chain, uint16_t letter)
{
    chain->count[chain->now * chain->letters + letter]++;
    chain->now = letter;
}

static void letter_chain_predict(const struct wtl_letter_chain *chain,
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

/* ---- predictor ---- */

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
        rc = letter_chain_create(letters + 2, &predictor->chain);
    else if (chosen.kind == WTL_PREDICT_GPHT)
        rc = history_table_create(order, chosen.entries ? chosen.entries : 1024, &predictor->table);
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
    letter_chain_destroy(predictor->chain);
    history_table_destroy(predictor->table);
    for (size_t i = 0; i < FILTERS; i++)
        wtl_run_filter_destroy(predictor->filters[i]);
    free(predictor);
}

static int observe(struct wtl_predictor *predictor, uint16_t letter)
{
    int rc = 0;
    predictor->last = letter;
    if (predictor->chain)
        letter_chain_observe(predictor->chain, letter);
    if (predictor->table)
        history_table_observe(predictor->table, letter);
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
        letter_chain_begin(predictor->chain);
    if (predictor->table)
        history_table_begin(predictor->table);
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
        letter_chain_predict(predictor->chain, n, ret_letters, ret_probabilities);
    else if (predictor->table)
        rc = history_table_predict(predictor->table, n, ret_letters, ret_probabilities);
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
