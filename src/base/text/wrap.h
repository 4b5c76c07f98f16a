/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that follows the width of a terminal. */
#ifndef WTL_BASE_WRAP_H
#define WTL_BASE_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WTL_PAGE_WIDTH = 80 };

/* The columns of a line: COLUMNS, else the terminal's, else WTL_PAGE_WIDTH; at least 60 and at most 200. */
int wtl_page_width(FILE *out);

/*
 * n bytes of text of unknown origin: "?" for each control character and each byte that is not UTF-8,
 * since they would move the cursor or worse.
 */
void wtl_print_clean(FILE *out, const char *text, size_t n);

/* The words of a text, by wtl_print_clean(), wrapped at `width`: the first line starts in column `start`, where the cursor
 * is, further ones in column `indent`. Prints no newline at the end. */
void wtl_wrap(FILE *out, const char *text, int start, int indent, int width);

/*
 * A text laid out for about 80 columns, such as a help text: lines that fit are printed as they are, others wrapped.
 * Lines continue the one above where their indent is that of its text, which is after the first two blanks of an
 * indented line. Commands to be copied, after "Examples:", stay whole.
 */
void wtl_wrap_laid_out(FILE *out, const char *text, int width);

#endif
