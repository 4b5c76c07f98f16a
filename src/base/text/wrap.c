/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/text/wrap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/parse.h"
#include "base/utf8.h"

enum { NARROWEST = 60, WIDEST = 200 };

/* A line whose next word would end before this column ends on purpose. */
enum { RAGGED = 70 };

int wtl_page_width(FILE *out)
{
    const char *given = secure_getenv("COLUMNS");
    struct winsize size = {0};
    uint64_t columns = 0;
    if (!given || wtl_parse_u64(given, &columns) < 0 || columns == 0)
        columns = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (columns == 0)
        return WTL_PAGE_WIDTH;
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (int)columns;
}

void wtl_print_clean(FILE *out, const char *text, size_t n)
{
    size_t length;
    for (size_t i = 0; i < n; i += length) {
        if (wtl_utf8_printable(text + i, n - i, &length) > 0)
            (void)fwrite(text + i, 1, length, out);
        else
            (void)fputc('?', out);
    }
}

static int columns_of(const char *text, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n; i++)
        columns += (text[i] & 0xC0) != 0x80; /* bytes that begin a character */
    return columns;
}

static void wrap(FILE *out, const char *text, size_t n, int start, int indent, int width)
{
    const char *end = text + n;
    int column = start;
    for (const char *p = text; p < end;) {
        size_t length = 0;
        /* A number and its % stay together. */
        while (p + length < end && p[length] != '\n' && (p[length] != ' ' || p[length + 1] == '%'))
            length++;
        int columns = columns_of(p, length);
        if (column > start && column + 1 + columns > width) {
            (void)fprintf(out, "\n%*s", indent, "");
            column = start = indent;
        }
        if (column > start) {
            (void)fputc(' ', out);
            column++;
        }
        wtl_print_clean(out, p, length);
        column += columns;
        for (p += length; p < end && (*p == ' ' || *p == '\n');)
            p++;
    }
}

void wtl_wrap(FILE *out, const char *text, int start, int indent, int width)
{
    wrap(out, text, strlen(text), start, indent, width);
}

/* ---- laid out text ---- */

static size_t blanks(const char *line)
{
    return strspn(line, " ");
}

/* Where the text of a line begins: after the first two blanks of an indented one, if it has them. */
static size_t text_column(const char *line, size_t length)
{
    size_t lead = blanks(line);
    if (lead == 0 || lead >= length)
        return 0;
    for (size_t i = lead; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return i + blanks(line + i);
    return lead;
}

/* Does the next line continue this one? */
static bool continues(const char *line, size_t length, size_t column)
{
    const char *next = line[length] ? line + length + 1 : "";
    size_t lead = blanks(next);
    if (lead != column || next[lead] == '\n' || !next[lead])
        return false;
    return columns_of(line, length) + 1 + (int)strcspn(next + lead, " \n") > RAGGED;
}

void wtl_wrap_laid_out(FILE *out, const char *text, int width)
{
    bool commands = false;
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, "\n"), column = text_column(p, length), all = length;
        const char *line = p;
        commands = strncmp(p, "Examples:", 9) == 0 || (commands && (*p == ' ' || *p == '\n'));
        bool fits = commands || columns_of(p, length) <= width;
        while (!commands && continues(line, length, column)) {
            line += length + 1;
            length = strcspn(line, "\n");
            fits = fits && columns_of(line, length) <= width;
            all = (size_t)(line - p) + length;
        }
        if (fits) {
            (void)fwrite(p, 1, all, out);
        } else {
            (void)fwrite(p, 1, column, out);
            wrap(out, p + column, all - column, (int)column, (int)column, width);
        }
        (void)fputc('\n', out);
        p += all + (p[all] == '\n');
    }
}
