/* SPDX-License-Identifier: BSD-3-Clause */
/* Words as a shell must have them. */
#ifndef WTL_BASE_SHELL_WORD_H
#define WTL_BASE_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>

bool wtl_shell_needs_quotes(const char *word);

/* The word, in quotes if so wanted. */
void wtl_shell_word(FILE *out, const char *word, bool quote);

#endif
