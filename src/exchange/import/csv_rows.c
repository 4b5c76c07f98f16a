/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits lines into cells, in place: see csv_rows.h. */
#define _GNU_SOURCE
#include "exchange/import/csv_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "exchange/import/import_table.h"

bool wtl_csv_line_is_idle(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t'))
        i++;
    return i == length || text[i] == '#';
}

/* ---- lines ---- */

static int read_head(struct wtl_csv_rows *rows, struct wattle_error *err)
{
    size_t bytes = 0;
    rows->head = calloc(WTL_CSV_HEAD_LINES, sizeof *rows->head);
    if (!rows->head)
        return wtl_no_memory_for(err, "the rows of %s", rows->path);
    while (rows->head_count < WTL_CSV_HEAD_LINES &&
           (bytes < WTL_CSV_HEAD_BYTES || rows->head_count < 8)) {
        char *line;
        size_t length;
        int rc = wtl_text_source_next(rows->source, &line, &length, err);
        if (rc <= 0)
            return rc;
        struct wtl_csv_line *to = &rows->head[rows->head_count];
        to->text = malloc(length + 1);
        if (!to->text)
            return wtl_no_memory_for(err, "the rows of %s", rows->path);
        memcpy(to->text, line, length + 1);
        to->length = length;
        to->number = wtl_text_source_line(rows->source);
        rows->head_count++;
        bytes += length;
    }
    return 0;
}

int wtl_csv_rows_begin(struct wtl_csv_rows *rows,
                       const char *path,
                       struct wtl_text_source *source,
                       struct wattle_error *err)
{
    *rows = (struct wtl_csv_rows){.path = path, .source = source, .separator = ','};
    int rc = read_head(rows, err);
    if (rc < 0)
        wtl_csv_rows_end(rows);
    return rc;
}

/* The next line, from the head or after it. */
static int next_line(struct wtl_csv_rows *rows,
                     char **ret_line,
                     size_t *ret_length,
                     uint64_t *ret_number,
                     struct wattle_error *err)
{
    if (rows->head_at < rows->head_count) {
        const struct wtl_csv_line *line = &rows->head[rows->head_at++];
        *ret_line = line->text;
        *ret_length = line->length;
        *ret_number = line->number;
        return 1;
    }
    int rc = wtl_text_source_next(rows->source, ret_line, ret_length, err);
    *ret_number = wtl_text_source_line(rows->source);
    return rc;
}

/* ---- cells ---- */

static int add_cell(struct wtl_csv_rows *rows,
                    char *text,
                    size_t length,
                    bool quoted,
                    struct wattle_error *err)
{
    if (rows->count == rows->room) {
        if (rows->room > WTL_IMPORT_COLUMNS_MAX)
            return wtl_fail(err, -E2BIG,
                            "%s:%llu: more than %d cells in a row; reduce the number of columns",
                            rows->path, (unsigned long long)rows->line, WTL_IMPORT_COLUMNS_MAX);
        if (wtl_reserve(&rows->cells, &rows->room, rows->count + 1, sizeof *rows->cells) < 0)
            return wtl_no_memory_for(err, "the rows of %s", rows->path);
    }
    text[length] = '\0';
    rows->cells[rows->count++] = (struct wtl_csv_cell){text, length, quoted};
    return 0;
}

/* Unquote a cell at *at (after its quote) in place. Returns its length; -1 = no closing quote. */
static ptrdiff_t take_quoted(char *line, size_t length, size_t *at)
{
    size_t from = *at, to = *at;
    while (from < length) {
        if (line[from] == '"' && !(from + 1 < length && line[from + 1] == '"'))
            break;
        from += line[from] == '"';
        line[to++] = line[from++];
    }
    if (from >= length)
        return -1;
    ptrdiff_t n = (ptrdiff_t)(to - *at);
    *at = from + 1;
    return n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Split a line at blanks. */
static int cut_blanks(struct wtl_csv_rows *rows,
                      char *line,
                      size_t length,
                      struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0;) {
        while (i < length && is_blank(line[i]))
            i++;
        if (i == length)
            break;
        size_t begin = i;
        while (i < length && !is_blank(line[i]))
            i++;
        bool more = i < length;
        rc = add_cell(rows, line + begin, i - begin, false, err);
        i += more;
    }
    return rc;
}

/* 0; 1 = a quote is open at the end of the line; -errno. */
static int cut(struct wtl_csv_rows *rows, char *line, size_t length, struct wattle_error *err)
{
    rows->count = 0;
    if (rows->separator == ' ')
        return cut_blanks(rows, line, length, err);
    for (size_t i = 0;;) {
        size_t begin = i;
        while (begin < length && line[begin] == ' ')
            begin++;
        ptrdiff_t n;
        bool quoted = begin < length && line[begin] == '"';
        if (quoted) {
            i = begin += 1;
            n = take_quoted(line, length, &i);
            if (n < 0)
                return 1;
            while (i < length && line[i] != rows->separator)
                i++; /* blanks after the quote */
        } else {
            char *stop = i < length ? memchr(line + i, rows->separator, length - i) : NULL;
            begin = i;
            i = stop ? (size_t)(stop - line) : length;
            n = (ptrdiff_t)(i - begin);
        }
        bool more = i < length;
        int rc = add_cell(rows, line + begin, (size_t)n, quoted, err);
        if (rc < 0 || !more)
            return rc;
        i++;
    }
}

/* Keep a line whose row continues on the next one. */
static int join(struct wtl_csv_rows *rows,
                const char *line,
                size_t length,
                struct wattle_error *err)
{
    size_t need = rows->joined_length + length + 2;
    if (need > WTL_TEXT_LINE_MAX)
        return wtl_fail(err, -EMSGSIZE, "%s:%llu: unclosed quote", rows->path,
                        (unsigned long long)rows->line);
    if (wtl_reserve(&rows->joined, &rows->joined_size, need, 1) < 0)
        return wtl_no_memory_for(err, "the rows of %s", rows->path);
    if (rows->joined_length)
        rows->joined[rows->joined_length++] = '\n';
    memcpy(rows->joined + rows->joined_length, line, length);
    rows->joined_length += length;
    rows->joined[rows->joined_length] = '\0';
    return 0;
}

/* An odd number of quotes: the row continues after the line. */
static bool goes_on(const char *line, size_t length)
{
    bool odd = false;
    for (const char *p = line; (p = memchr(p, '"', length - (size_t)(p - line))) != NULL; p++)
        odd = !odd;
    return odd;
}

int wtl_csv_rows_next(struct wtl_csv_rows *rows, struct wattle_error *err)
{
    char *line;
    size_t length;
    uint64_t number;
    int rc;
    rows->joined_length = 0;
    while ((rc = next_line(rows, &line, &length, &number, err)) > 0) {
        if (rows->joined_length == 0) {
            if (wtl_csv_line_is_idle(line, length))
                continue;
            rows->line = number;
            if (rows->separator == ' ' || !memchr(line, '"', length) || !goes_on(line, length)) {
                rc = cut(rows, line, length, err);
                return rc < 0 ? rc : 1;
            }
            rc = join(rows, line, length, err);
        } else {
            bool closes = goes_on(line, length);
            rc = join(rows, line, length, err);
            if (rc == 0 && closes) {
                rc = cut(rows, rows->joined, rows->joined_length, err);
                return rc < 0 ? rc : 1;
            }
        }
        if (rc < 0)
            return rc;
    }
    if (rc == 0 && rows->joined_length)
        return wtl_fail(err, -EBADMSG, "%s:%llu: quote not closed before the end of the file",
                        rows->path, (unsigned long long)rows->line);
    return rc;
}

int wtl_csv_rows_cut_head(struct wtl_csv_rows *rows,
                          size_t line,
                          char **ret_copy,
                          struct wattle_error *err)
{
    const struct wtl_csv_line *from = &rows->head[line];
    char *copy = malloc(from->length + 1);
    if (!copy)
        return wtl_no_memory_for(err, "the rows of %s", rows->path);
    memcpy(copy, from->text, from->length + 1);
    int rc = cut(rows, copy, from->length, err);
    if (rc < 0) {
        free(copy);
        return rc;
    }
    *ret_copy = copy;
    return 0;
}

void wtl_csv_rows_end(struct wtl_csv_rows *rows)
{
    for (size_t i = 0; i < rows->head_count; i++)
        free(rows->head[i].text);
    free(rows->head);
    free(rows->cells);
    free(rows->joined);
    wtl_text_source_close(rows->source);
    *rows = (struct wtl_csv_rows){.path = rows->path};
}
