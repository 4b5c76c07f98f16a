/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables and paragraphs for terminals: cells are kept until the widths are known. Widths count
 * characters, not bytes; escape sequences stand outside of what is counted.
 */
#define _GNU_SOURCE
#include "report/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text/wrap.h"
#include "base/utf8.h"

enum { GAP = 2 };

struct row {
    char **cells; /* NULL = a line across */
    enum wtl_emphasis emphasis;
};

struct wtl_table {
    const struct wtl_column *columns;
    size_t column_count, row_count;
    struct row *rows;
    bool failed; /* a row is missing */
    struct {
        size_t width;   /* so far */
        unsigned order; /* in which it is left out; 0 = never */
    } looks[];          /* of the columns */
};

static void widen(struct wtl_table *table, size_t column, const char *cell)
{
    size_t width = wtl_utf8_columns(cell);
    if (width > table->looks[column].width)
        table->looks[column].width = width;
}

struct wtl_table *wtl_table_create(const struct wtl_column *columns, size_t count)
{
    struct wtl_table *table = calloc(1, sizeof *table + count * sizeof *table->looks);
    if (!table)
        return NULL;
    table->columns = columns;
    table->column_count = count;
    for (size_t i = 0; i < count; i++)
        widen(table, i, columns[i].title);
    return table;
}

static void free_cells(char **cells, size_t count)
{
    for (size_t i = 0; cells && i < count; i++)
        free(cells[i]);
    free(cells);
}

void wtl_table_destroy(struct wtl_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->row_count; i++)
        free_cells(table->rows[i].cells, table->column_count);
    free(table->rows);
    free(table);
}

static struct row *add_row(struct wtl_table *table)
{
    if (wtl_grow(&table->rows, table->row_count, sizeof *table->rows) < 0) {
        table->failed = true;
        return NULL;
    }
    table->rows[table->row_count] = (struct row){0};
    return &table->rows[table->row_count++];
}

void wtl_table_row(struct wtl_table *table, enum wtl_emphasis emphasis, const char *const *cells)
{
    struct row *row = table ? add_row(table) : NULL;
    if (!row)
        return;
    row->emphasis = emphasis;
    row->cells = calloc(table->column_count, sizeof *row->cells);
    for (size_t i = 0; row->cells && i < table->column_count; i++) {
        row->cells[i] = strdup(cells[i] ? cells[i] : "");
        table->failed |= !row->cells[i];
        widen(table, i, cells[i] ? cells[i] : "");
    }
    table->failed |= !row->cells;
}

void wtl_table_spare(struct wtl_table *table, size_t column, unsigned order)
{
    if (table)
        table->looks[column].order = order;
}

void wtl_table_rule(struct wtl_table *table)
{
    if (table)
        (void)add_row(table);
}

/* The columns of a line, where no style says it. */
static int page_width(FILE *out, const struct wtl_style *style)
{
    return style && style->width > 0 ? style->width : wtl_page_width(out);
}

/* What begins an emphasis; "" = nothing does. */
static const char *code_of(const struct wtl_style *style, enum wtl_emphasis emphasis)
{
    static const char *const codes[] = {[WTL_PLAIN] = "",
                                        [WTL_STRONG] = "\033[1m",
                                        [WTL_CAUTION] = "\033[33m",
                                        [WTL_FAINT] = "\033[2m"};
    return style && style->color ? codes[emphasis] : "";
}

static void end_emphasis(FILE *out, const char *code)
{
    (void)fputs(code[0] ? "\033[0m" : "", out);
}

void wtl_print_sentence(FILE *out, const char *format, ...)
{
    char sentence[16384];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    wtl_utf8_clean(sentence);
    (void)fputs(sentence, out);
}

/* How a table is laid out on a page. */
struct layout {
    int indent, gap;
    unsigned spare; /* columns with more than this are left out */
    size_t width;
};

static struct layout measure(const struct wtl_table *table, int indent, int gap, unsigned spare)
{
    struct layout layout = {.indent = indent, .gap = gap, .spare = spare};
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->looks[i].order <= spare)
            layout.width += table->looks[i].width + (layout.width > 0 ? (size_t)gap : 0);
    }
    return layout;
}

/* The roomiest layout that fits, or that without all that may be left out. Tables without such columns keep their gaps. */
static struct layout lay_out(const struct wtl_table *table, int indent, int page)
{
    unsigned most = 0;
    for (size_t i = 0; i < table->column_count; i++)
        most = table->looks[i].order > most ? table->looks[i].order : most;
    for (unsigned spare = most; most > 0; spare--) {
        for (int gap = GAP; gap > 0; gap--) {
            struct layout layout = measure(table, indent, gap, spare);
            if (layout.width + (size_t)indent <= (size_t)page)
                return layout;
        }
        if (spare == 0)
            break;
    }
    return measure(table, indent, GAP, 0);
}

bool wtl_table_fits(const struct wtl_table *table, int indent, const struct wtl_style *style)
{
    const int page = wtl_style_width(style);
    return !table || lay_out(table, indent, page).width + (size_t)indent <= (size_t)page;
}

bool wtl_table_shows(const struct wtl_table *table,
                     size_t column,
                     int indent,
                     const struct wtl_style *style)
{
    return table &&
           table->looks[column].order <= lay_out(table, indent, wtl_style_width(style)).spare;
}

/* One line of cells; no blanks after the last one that is not empty. */
static void print_row(const struct wtl_table *table,
                      FILE *out,
                      const struct layout *layout,
                      const struct wtl_style *style,
                      enum wtl_emphasis emphasis,
                      const char *const *cells)
{
    size_t last = table->column_count;
    int gap = 0;
    while (last > 0 && (!cells[last - 1][0] || table->looks[last - 1].order > layout->spare))
        last--;
    (void)fprintf(out, "%*s", layout->indent, "");
    for (size_t i = 0; i < last; i++) {
        if (table->looks[i].order > layout->spare)
            continue;
        int pad = (int)(table->looks[i].width - wtl_utf8_columns(cells[i]));
        bool right = table->columns[i].right;
        const char *code = cells[i][0] ? code_of(style, emphasis) : "";
        (void)fprintf(out, "%*s%*s%s", gap, "", right ? pad : 0, "", code);
        wtl_print_clean(out, cells[i], strlen(cells[i]));
        end_emphasis(out, code);
        if (!right && i + 1 < last)
            (void)fprintf(out, "%*s", pad, "");
        gap = layout->gap;
    }
    (void)fputc('\n', out);
}

/* Name the columns that were left out. */
static int print_spared(const struct wtl_table *table,
                        FILE *out,
                        const struct layout *layout,
                        const struct wtl_style *style)
{
    char *text = NULL;
    size_t size = 0;
    const char *between = "(too narrow for: ";
    FILE *list = open_memstream(&text, &size);
    if (!list)
        return -ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->looks[i].order <= layout->spare || !table->columns[i].title[0])
            continue;
        (void)fprintf(list, "%s%s", between, table->columns[i].title);
        between = ", ";
    }
    (void)fputs(between[0] == ',' ? ")" : "", list);
    if (fclose(list) != 0) {
        free(text);
        return -ENOMEM;
    }
    if (size > 0) {
        const char *code = code_of(style, WTL_FAINT);
        (void)fprintf(out, "%s%*s", code, layout->indent, "");
        wtl_wrap(out, text, layout->indent, layout->indent, page_width(out, style));
        end_emphasis(out, code);
        (void)fputc('\n', out);
    }
    free(text);
    return 0;
}

int wtl_table_print(const struct wtl_table *table,
                    FILE *out,
                    int indent,
                    const struct wtl_style *style)
{
    if (!table || table->failed)
        return -ENOMEM;
    const char **titles = calloc(table->column_count, sizeof *titles);
    if (!titles)
        return -ENOMEM;
    const struct layout layout = lay_out(table, indent, page_width(out, style));
    for (size_t i = 0; i < table->column_count; i++)
        titles[i] = table->columns[i].title;
    print_row(table, out, &layout, style, WTL_FAINT, titles);
    free(titles);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct row *row = &table->rows[i];
        if (row->cells) {
            print_row(table, out, &layout, style, row->emphasis, (const char *const *)row->cells);
            continue;
        }
        (void)fprintf(out, "%*s", indent, "");
        for (size_t k = 0; k < layout.width; k++)
            (void)fputc('-', out);
        (void)fputc('\n', out);
    }
    return print_spared(table, out, &layout, style);
}

void wtl_print_paragraph(FILE *out,
                         const struct wtl_style *style,
                         enum wtl_emphasis emphasis,
                         int width,
                         const char *label,
                         const char *text)
{
    const char *code = code_of(style, emphasis);
    int pad = width - (int)wtl_utf8_columns(label);
    (void)fprintf(out, "%s%*s", code, WTL_TEXT_INDENT, "");
    wtl_print_clean(out, label, strlen(label));
    (void)fprintf(out, "%*s", pad > 0 ? pad : 1, "");
    int below = WTL_TEXT_INDENT + width;
    wtl_wrap(out, text, pad > 0 ? below : below - pad + 1, below, page_width(out, style));
    end_emphasis(out, code);
    (void)fputc('\n', out);
}
