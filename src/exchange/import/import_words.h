/* SPDX-License-Identifier: BSD-3-Clause */
/* What the words of a column's header (and of its file's name) say about the column. */
#ifndef WTL_EXCHANGE_IMPORT_WORDS_H
#define WTL_EXCHANGE_IMPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "exchange/import/import_table.h"
#include "exchange/import/unit.h"

enum { WTL_WORDS_MAX = 16, WTL_WORD_SIZE = 24 };

/* Words in lower case: split at punctuation, between letters and digits, and before a capital:
 * "PkgWatt_1" is pkg, watt, 1. What is in brackets at the end is a unit, not a word. Excess words are dropped. */
struct wtl_import_words {
    char word[WTL_WORDS_MAX][WTL_WORD_SIZE];
    bool glued[WTL_WORDS_MAX]; /* nothing separates it from the word before */
    size_t count;
    const struct wtl_unit *unit; /* NULL = none given, or not in the list */
    bool has_unit;               /* one is given; unit_is_word: as the last word */
    bool unit_is_word;
};

void wtl_import_words_split(const char *text, struct wtl_import_words *ret_words);

/* Does this header, by its words, denote times (or durations)? Also returns the unit, WTL_TIME_AUTO
 * if none. */
bool wtl_import_words_are_time(const char *header, enum wtl_time_unit *ret_unit);
bool wtl_import_words_are_duration(const char *header, enum wtl_time_unit *ret_unit);

/* Is it a column that names what its rows are about, such as "gpu" or "index"? */
bool wtl_import_words_are_series(const char *header);

/* Fill in what a meaning lacks. file: the name of the file, used for the domain if the header has none; NULL = ignore. */
void wtl_import_words_guess(const char *header, const char *file, struct wtl_meaning *meaning);

/* The header without words for quantity and unit: the same for all columns of one sensor. */
void wtl_import_words_stem(const char *header, char *stem, size_t size);

#endif
