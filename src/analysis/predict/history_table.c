/* SPDX-License-Identifier: BSD-3-Clause */
/* The history table predictor: see history_table.h. */
#include "analysis/predict/history_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

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

int wtl_history_table_create(unsigned history,
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

void wtl_history_table_destroy(struct wtl_history_table *table)
{
    if (table)
        free(table->letters);
    free(table);
}

void wtl_history_table_begin(struct wtl_history_table *table)
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

void wtl_history_table_observe(struct wtl_history_table *table, uint16_t letter)
{
    bool found;
    uint64_t pattern = pattern_of(table->letters, table->filled);
    struct entry *entry = &table->list[find(table, pattern, &found)];
    table->predicted++;
    table->right += next_of(table, table->letters, table->filled) == letter;
    *entry = (struct entry){pattern, ++table->time, letter};
    shift(table->letters, &table->filled, table->history, letter);
}

int wtl_history_table_predict(const struct wtl_history_table *table,
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
