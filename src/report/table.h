/* SPDX-License-Identifier: BSD-3-Clause */
/* Table: rows of cells, printed with each column as wide as its widest cell. */
#ifndef WTL_REPORT_TABLE_H
#define WTL_REPORT_TABLE_H

#include <stdio.h>

#include "base/text/wrap.h" /* wtl_print_clean() prints cells and paragraphs */
#include "report/style.h"

/* Indent of tables and paragraphs of a result, and the width of the labels of the latter. */
enum { WTL_TEXT_INDENT = 1, WTL_TEXT_LABEL = 16 };

struct wtl_column {
    const char *title;
    bool right; /* aligned to the right, as numbers are */
};

enum wtl_emphasis { WTL_PLAIN, WTL_STRONG, WTL_CAUTION, WTL_FAINT };

struct wtl_table;

/* The columns must outlive it. NULL without memory; the calls below accept that. */
struct wtl_table *wtl_table_create(const struct wtl_column *columns, size_t count);
void wtl_table_destroy(struct wtl_table *table);

/* One row: count texts, which are copied; NULL = empty. */
void wtl_table_row(struct wtl_table *table, enum wtl_emphasis emphasis, const char *const *cells);

/* Leave the column out where the page is too narrow: the highest order first, from 1. Others are never left out. */
void wtl_table_spare(struct wtl_table *table, size_t column, unsigned order);

/* A line across. */
void wtl_table_rule(struct wtl_table *table);

/* Is it within the style's width when printed at this indent? */
bool wtl_table_fits(const struct wtl_table *table, int indent, const struct wtl_style *style);

/* Is this column among those that are printed, if others are left out? */
bool wtl_table_shows(const struct wtl_table *table,
                     size_t column,
                     int indent,
                     const struct wtl_style *style);

/* Print it, indented, within the style's width if columns that may be left out and narrow gaps allow it; a line below names
 * those that were left out. 0, or -ENOMEM when memory was wanting at any time before. */
int wtl_table_print(const struct wtl_table *table,
                    FILE *out,
                    int indent,
                    const struct wtl_style *style);

/* A line, or part of one, that contains names of files, channels or hosts: formatted, each
 * unprintable character replaced by "?" (line ends and tabs stay), and written at once. Cut off
 * after 16 kB. */
void wtl_print_sentence(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "label     text ..." wrapped at the style's width, further lines under the text; indented as results are,
 * the label `width` wide. */
void wtl_print_paragraph(FILE *out,
                         const struct wtl_style *style,
                         enum wtl_emphasis emphasis,
                         int width,
                         const char *label,
                         const char *text);

#endif
