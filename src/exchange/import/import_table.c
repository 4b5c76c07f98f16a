/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all formats: see import_table.h. */
#define _GNU_SOURCE
#include "exchange/import/import_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "exchange/import/unit.h"

const char *const wtl_import_kind_names[] = {"auto", "counter", "delta", "gauge", "average", NULL};

void wtl_import_table_close(struct wtl_import_table *table)
{
    if (!table)
        return;
    if (table->ops && table->ops->close)
        table->ops->close(table);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->headers[i].name);
    free(table->headers);
    free(table->gaps);
    free(table);
}

int wtl_import_table_add(struct wtl_import_table *table,
                         const char *name,
                         size_t length,
                         struct wattle_error *err)
{
    size_t n = table->column_count;
    if (n == WTL_IMPORT_COLUMNS_MAX)
        return wtl_fail(err, -E2BIG, "%s: more than %d columns; remove some", table->path,
                        WTL_IMPORT_COLUMNS_MAX);
    if (wtl_grow(&table->headers, n, sizeof *table->headers) < 0)
        return wtl_no_memory_for(err, "the columns of %s", table->path);
    char *raw = strndup(name, length), *clean = raw ? wtl_utf8_dup(raw) : NULL;
    free(raw);
    if (!clean)
        return wtl_no_memory_for(err, "the columns of %s", table->path);
    table->headers[n] = (struct wtl_import_header){
        .name = clean, .number = (unsigned)n + 1, .meaning = {.sub = -1}};
    table->column_count++;
    return (int)n;
}

int wtl_import_table_gap(struct wtl_import_table *table, struct wtl_import_gap gap)
{
    if (gap.end_ns <= gap.begin_ns || gap.column >= table->column_count)
        return 0;
    if (wtl_grow(&table->gaps, table->gap_count, sizeof *table->gaps) < 0)
        return -ENOMEM;
    table->gaps[table->gap_count++] = gap;
    return 0;
}

static int compare_gaps(const void *a, const void *b)
{
    const struct wtl_import_gap *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

void wtl_import_table_gaps_end(struct wtl_import_table *table)
{
    wtl_sort(table->gaps, table->gap_count, sizeof *table->gaps, compare_gaps);
}

struct wtl_import_note *wtl_import_table_note(struct wtl_import_table *table, const char *kind)
{
    if (table->note_count < WTL_IMPORT_NOTES_MAX)
        table->note_count++;
    struct wtl_import_note *note = &table->notes[table->note_count - 1];
    *note = (struct wtl_import_note){.kind = kind};
    return note;
}

/* Is this cell a word for "no value"? */
static bool cell_is_nan(const char *text, size_t n)
{
    static const char *const words[] = {"nan",
                                        "na",
                                        "n/a",
                                        "null",
                                        "none",
                                        "nil",
                                        "-nan",
                                        "#n/a",
                                        "missing",
                                        "-",
                                        "<not counted>",
                                        "?",
                                        "inf",
                                        "-inf",
                                        "<not supported>",
                                        "unknown",
                                        "[n/a]",
                                        "[not supported]",
                                        "[unknown error]",
                                        "n.a.",
                                        "--"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == n && strncasecmp(words[i], text, n) == 0)
            return true;
    }
    return false;
}

struct wtl_import_cell wtl_cell_read(const char *text, size_t n, char point)
{
    struct wtl_import_cell cell = {.form = WTL_CELL_GOOD};
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    while (n > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n--;
    }
    if (n == 0)
        cell.form = WTL_CELL_EMPTY;
    else if (wtl_decimal_parse(text, n, point, &cell.value) < 0)
        cell.form = cell_is_nan(text, n) ? WTL_CELL_NAN : WTL_CELL_WORD;
    return cell;
}

struct wtl_import_cell wtl_cell_ungroup(const char *text, size_t n, char point)
{
    char plain[64], sign = point == '.' ? ',' : '.';
    size_t kept = 0, since = 0;
    bool grouped = false, good = n < sizeof plain;
    for (size_t i = 0; good && i < n; i++) {
        char c = text[i];
        if (c == sign) {
            good = grouped ? since == 3 : since > 0 && since < 4;
            grouped = true;
            since = 0;
            continue;
        }
        if (c == point && grouped)
            good = since == 3;
        since += c >= '0' && c <= '9' ? 1 : 0;
        plain[kept++] = c;
        if (c == point && good)
            sign = '\0';
    }
    if (!good || (sign && grouped && since != 3))
        return (struct wtl_import_cell){.form = WTL_CELL_WORD};
    return wtl_cell_read(plain, kept, point);
}

void wtl_cell_with_unit(const char *text,
                        char point,
                        struct wtl_meaning *meaning,
                        struct wtl_import_cell *cell,
                        bool *ret_foreign)
{
    struct wtl_import_cell number;
    text += strspn(text, " ");
    size_t n = strspn(text, "+-0123456789.,eE"), end = strlen(text);
    const char *word = text + n + strspn(text + n, " ");
    while (end > 0 && text[end - 1] == ' ')
        end--;
    const struct wtl_unit *unit =
        word < text + end ? wtl_unit_find(word, (size_t)(text + end - word)) : NULL;
    *ret_foreign = false;
    if (!unit || n == 0)
        return;
    number = wtl_cell_read(text, n, point ? point : '.');
    if (number.form != WTL_CELL_GOOD)
        return;
    if (!meaning->has_unit) {
        meaning->has_unit = true;
        (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", unit->name);
        if (!meaning->has_quantity)
            meaning->quantity = unit->quantity;
        meaning->has_quantity = true;
    }
    *ret_foreign = strcmp(unit->name, meaning->unit) != 0;
    if (!*ret_foreign)
        *cell = number;
}

int wtl_import_take_suffix(char *text, const char *const *names)
{
    char *colon = strrchr(text, ':');
    for (int i = 1; colon && names[i]; i++) {
        if (strcmp(colon + 1, names[i]) == 0) {
            *colon = '\0';
            return i;
        }
    }
    return 0;
}
