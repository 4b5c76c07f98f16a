/* SPDX-License-Identifier: BSD-3-Clause */
/* What the words of a column's header (and of its file's name) say about the column. */
#ifndef WTL_EXCHANGE_IMPORT_WORDS_H
#define WTL_EXCHANGE_IMPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "exchange/import/import_table.h"

struct wtl_unit {
    const char *name;
    enum wattle_quantity quantity;
    double scale; /* into the unit of the quantity */
};

/* All units, ended by a NULL name. */
extern const struct wtl_unit wtl_units[];

/* A unit by its name, "uJ" and "MW" as written or else without regard of case ("mw" = mW); NULL. */
const struct wtl_unit *wtl_unit_find(const char *name, size_t n);

enum { WTL_WORDS_MAX = 16, WTL_WORD_SIZE = 24 };

/* Words in lower case: cut at signs, between letters and digits, and before a capital: "PkgWatt_1" is
 * pkg, watt, 1. A unit in brackets is no word. Further ones are left out. */
struct wtl_import_words {
    char word[WTL_WORDS_MAX][WTL_WORD_SIZE];
    size_t count;
    const struct wtl_unit *unit; /* NULL = none told */
};

void wtl_import_words_split(const char *text, struct wtl_import_words *ret_words);

/* Is a column of this header, by its words, one of times (or of durations)? With the unit that it tells,
 * WTL_TIME_AUTO when none. */
bool wtl_import_words_are_time(const char *header, enum wtl_time_unit *ret_unit);
bool wtl_import_words_are_duration(const char *header, enum wtl_time_unit *ret_unit);

/* Fill in what a meaning does not have yet. file: the name of the file, which says what a header as
 * plain as "value" leaves open; NULL = has no say. */
void wtl_import_words_guess(const char *header, const char *file, struct wtl_meaning *meaning);

/* The header without words for quantity and unit: columns of one sensor have the same. */
void wtl_import_words_stem(const char *header, char *stem, size_t size);

#endif
