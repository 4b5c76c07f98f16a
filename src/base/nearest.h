/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the known word that a mistyped one most likely means. */
#ifndef WTL_BASE_NEAREST_H
#define WTL_BASE_NEAREST_H

#include <stddef.h>

/*
 * Number of single-character insertions, deletions, replacements and swaps of neighbours between
 * two words; 1000 when either is longer than 63 bytes. Safe from any thread.
 */
unsigned wtl_word_distance(const char *a, const char *b);

/*
 * The nearest of words[0 .. n-1] (NULL entries are skipped), or NULL when none is similar enough: at most a
 * third of its letters (and at least one) may differ; a prefix of three letters or more counts as similar.
 * The first among equals.
 */
const char *wtl_nearest(const char *word, const char *const *words, size_t n);

#endif
