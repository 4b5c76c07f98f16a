/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sheet: rows of cells streamed as CSV or JSON; nothing is kept. Unknown numbers are empty (CSV) or
 * null (JSON).
 */
#ifndef WTL_EXCHANGE_ROW_WRITER_H
#define WTL_EXCHANGE_ROW_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum wtl_row_writer_form { WTL_ROW_WRITER_CSV = 0, WTL_ROW_WRITER_JSON = 1 };

enum wtl_cell_kind { WTL_CELL_NONE = 0, WTL_CELL_NUMBER, WTL_CELL_COUNT, WTL_CELL_TEXT };

struct wtl_cell {
    enum wtl_cell_kind kind;
    int digits;    /* significant digits of a number; negative: digits after the point */
    double number; /* NaN = unknown */
    uint64_t count;
    const char *text;
};

struct wtl_row_writer {
    FILE *out;
    enum wtl_row_writer_form form;
    bool comments; /* CSV: notes as "# " lines */
    bool any_row, any_note;
    int digits; /* for numbers in rows of nouns without their own setting; 0 = 9 */
};

/* Call in this order: begin, notes, columns, rows, end. `what` is the schema's name of the
 * content. */
void wtl_row_writer_begin(struct wtl_row_writer *sheet,
                          FILE *out,
                          enum wtl_row_writer_form form,
                          bool comments,
                          const char *what);
void wtl_row_writer_note(struct wtl_row_writer *sheet, const char *key, const char *text);
void wtl_row_writer_columns(struct wtl_row_writer *sheet, const char *const *names, size_t count);
void wtl_row_writer_row(struct wtl_row_writer *sheet, const struct wtl_cell *cells, size_t count);
void wtl_row_writer_end(struct wtl_row_writer *sheet);

static inline struct wtl_cell wtl_cell_number(double number, int digits)
{
    return (struct wtl_cell){.kind = WTL_CELL_NUMBER, .number = number, .digits = digits};
}

static inline struct wtl_cell wtl_cell_count(uint64_t count)
{
    return (struct wtl_cell){.kind = WTL_CELL_COUNT, .count = count};
}

/* The text is borrowed until the row has been written. */
static inline struct wtl_cell wtl_cell_text(const char *text)
{
    return (struct wtl_cell){.kind = text ? WTL_CELL_TEXT : WTL_CELL_NONE, .text = text};
}

#endif
