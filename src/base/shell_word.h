/* SPDX-License-Identifier: BSD-3-Clause */
/* Words quoted for a shell. */
#ifndef WTL_BASE_SHELL_WORD_H
#define WTL_BASE_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>

bool wtl_shell_needs_quotes(const char *word);

/* Print the word, quoted if `quote` is set. */
void wtl_shell_word(FILE *out, const char *word, bool quote);

#endif
