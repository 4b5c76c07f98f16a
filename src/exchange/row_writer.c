/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CSV according to RFC 4180 (but lines end with LF), and JSON as one object { schema, what, notes,
 * columns, rows }, one row per line, so that both can be read by line as well. Stream errors stay
 * in the stream until the caller checks.
 */
#include "exchange/row_writer.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* U+FFFD, for a byte that is not part of a character. */
#define UNREADABLE "\xEF\xBF\xBD"

static void json_text(FILE *out, const char *text)
{
    size_t n = strlen(text), length;
    (void)fputc('"', out);
    for (size_t i = 0; i < n; i += length) {
        bool printable = wtl_utf8_printable(text + i, n - i, &length) > 0;
        if (wtl_utf8_length(text + i, n - i) == 0)
            (void)fputs(UNREADABLE, out);
        else if (!printable)
            (void)fprintf(out, "\\u%04x", wtl_utf8_code(text + i, length));
        else if (text[i] == '"' || text[i] == '\\')
            (void)fprintf(out, "\\%c", text[i]);
        else
            (void)fwrite(text + i, 1, length, out);
    }
    (void)fputc('"', out);
}

/* For display: characters that would control the terminal are replaced. Line ends and tabs are kept
 * as data. */
static void plain_text(FILE *out, const char *text, const char *kept)
{
    size_t n = strlen(text), length;
    for (size_t i = 0; i < n; i += length) {
        bool printable = wtl_utf8_printable(text + i, n - i, &length) > 0;
        if (!printable && !strchr(kept, text[i]))
            (void)fputs(UNREADABLE, out);
        else if (text[i] == '"' && strchr(kept, '"'))
            (void)fputs("\"\"", out);
        else
            (void)fwrite(text + i, 1, length, out);
    }
}

/* Text that a spreadsheet or a comment-aware reader would misinterpret is quoted, too. */
static void csv_text(FILE *out, const char *text)
{
    bool quote = text[strcspn(text, ",\"\r\n")] || text[0] == '#' || text[0] == ' ';
    (void)fputs(quote ? "\"" : "", out);
    plain_text(out, text, "\"\n\t");
    (void)fputs(quote ? "\"" : "", out);
}

void wtl_row_writer_begin(struct wtl_row_writer *sheet,
                          FILE *out,
                          enum wtl_row_writer_form form,
                          bool comments,
                          const char *what)
{
    *sheet = (struct wtl_row_writer){.out = out, .form = form, .comments = comments};
    if (form == WTL_ROW_WRITER_JSON)
        (void)fprintf(out,
                      "{\n\"schema\": \"wattle.export/1\",\n\"wattle_version\": \"%s\",\n\"what\": "
                      "\"%s\",\n\"notes\": {",
                      WATTLE_VERSION, what);
    else if (comments)
        (void)fprintf(out, "# wattle export, %s\n", what);
}

void wtl_row_writer_note(struct wtl_row_writer *sheet, const char *key, const char *text)
{
    FILE *out = sheet->out;
    if (sheet->form == WTL_ROW_WRITER_JSON) {
        (void)fputs(sheet->any_note ? ",\n  " : "\n  ", out);
        json_text(out, key);
        (void)fputs(": ", out);
        json_text(out, text);
    } else if (sheet->comments) {
        (void)fprintf(out, "# %s: ", key);
        size_t length;
        for (const char *p = text; *p; p += length) { /* one note, one line */
            if (*p == '\n' || *p == '\r' || *p == '\t')
                (void)fputc(' ', out);
            else if (wtl_utf8_printable(p, strlen(p), &length) == 0)
                (void)fputs(UNREADABLE, out);
            else
                (void)fwrite(p, 1, length, out);
            length = *p == '\n' || *p == '\r' || *p == '\t' ? 1 : length;
        }
        (void)fputc('\n', out);
    }
    sheet->any_note = true;
}

void wtl_row_writer_columns(struct wtl_row_writer *sheet, const char *const *names, size_t count)
{
    FILE *out = sheet->out;
    bool json = sheet->form == WTL_ROW_WRITER_JSON;
    if (json)
        (void)fputs(sheet->any_note ? "\n},\n\"columns\": [" : "},\n\"columns\": [", out);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            (void)fputs(json ? ", " : ",", out);
        if (json)
            json_text(out, names[i]);
        else
            csv_text(out, names[i]);
    }
    (void)fputs(json ? "],\n\"rows\": [" : "\n", out);
}

static void print_number(FILE *out, const struct wtl_cell *cell)
{
    if (cell->digits < 0)
        (void)fprintf(out, "%.*f", -cell->digits, cell->number);
    else
        (void)fprintf(out, "%.*g", cell->digits, cell->number);
}

static void print_cell(const struct wtl_row_writer *sheet, const struct wtl_cell *cell)
{
    FILE *out = sheet->out;
    bool json = sheet->form == WTL_ROW_WRITER_JSON;
    bool known =
        cell->kind == WTL_CELL_NUMBER ? isfinite(cell->number) : cell->kind != WTL_CELL_NONE;
    if (!known)
        (void)fputs(json ? "null" : "", out);
    else if (cell->kind == WTL_CELL_NUMBER)
        print_number(out, cell);
    else if (cell->kind == WTL_CELL_COUNT)
        (void)fprintf(out, "%llu", (unsigned long long)cell->count);
    else if (json)
        json_text(out, cell->text);
    else
        csv_text(out, cell->text);
}

void wtl_row_writer_row(struct wtl_row_writer *sheet, const struct wtl_cell *cells, size_t count)
{
    FILE *out = sheet->out;
    bool json = sheet->form == WTL_ROW_WRITER_JSON;
    if (json)
        (void)fputs(sheet->any_row ? ",\n[" : "\n[", out);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            (void)fputc(',', out);
        print_cell(sheet, &cells[i]);
    }
    (void)fputc(json ? ']' : '\n', out);
    sheet->any_row = true;
}

void wtl_row_writer_end(struct wtl_row_writer *sheet)
{
    if (sheet->form == WTL_ROW_WRITER_JSON)
        (void)fputs(sheet->any_row ? "\n]\n}\n" : "]\n}\n", sheet->out);
}
