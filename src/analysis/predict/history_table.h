/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global phase history table, GPHT (C. Isci, G. Contreras, M. Martonosi, Live, runtime phase monitoring and prediction,
 * MICRO 2006): the last letters are looked up in a table of patterns, each with the letter that followed it last time. A
 * pattern that is not in the table predicts the last letter; the least recently used one gives way.
 */
#ifndef WTL_ANALYSIS_PREDICT_HISTORY_TABLE_H
#define WTL_ANALYSIS_PREDICT_HISTORY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct wtl_history_table;

int wtl_history_table_create(unsigned history,
                             unsigned entries,
                             struct wtl_history_table **ret_table); /* 0 or -ENOMEM */
void wtl_history_table_destroy(struct wtl_history_table *table);    /* accepts NULL */
void wtl_history_table_begin(struct wtl_history_table *table);
void wtl_history_table_observe(struct wtl_history_table *table, uint16_t letter);
/* The next n letters, each prediction taken as history of the one after it; the probability is how often the table was
 * right so far. 0 or -ENOMEM. */
int wtl_history_table_predict(const struct wtl_history_table *table,
                              size_t n,
                              uint16_t *ret_letters,
                              double *ret_probabilities);

#endif
