/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of cells from delimited text: quoted cells as in RFC 4180 (also with line breaks in them),
 * any one-byte separator, or blanks (consecutive blanks and tabs count as one). Comment lines (#)
 * and empty lines are skipped. The first lines can be inspected before they are read.
 */
#ifndef WTL_EXCHANGE_CSV_ROWS_H
#define WTL_EXCHANGE_CSV_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "exchange/import/text_source.h"

/* Number of lines that can be inspected, and limit in bytes. */
enum { WTL_CSV_HEAD_LINES = 400, WTL_CSV_HEAD_BYTES = 4 << 20 };

struct wtl_csv_cell {
    const char *text; /* terminated by NUL; without its quotes */
    size_t length;
    bool quoted;
};

struct wtl_csv_line {
    char *text; /* owned */
    size_t length;
    uint64_t number;
};

struct wtl_csv_rows {
    const char *path;               /* borrowed */
    struct wtl_text_source *source; /* owned */
    char separator;                 /* ' ' = blanks */
    struct wtl_csv_line *head;      /* owned */
    size_t head_count, head_at;
    struct wtl_csv_cell *cells; /* cells of the last row */
    size_t count, room;
    uint64_t line; /* line at which the last row begins */
    char *joined;  /* buffer for a row of several lines */
    size_t joined_length, joined_size;
};

/* Takes ownership of the source, also on failure, and reads the head. 0 or -errno. */
int wtl_csv_rows_begin(struct wtl_csv_rows *rows,
                       const char *path,
                       struct wtl_text_source *source,
                       struct wattle_error *err);

/* Split a copy of a line of the head into rows->cells; the caller frees *ret_copy. 0 or -errno. */
int wtl_csv_rows_cut_head(struct wtl_csv_rows *rows,
                          size_t line,
                          char **ret_copy,
                          struct wattle_error *err);

/* Is it a line without cells: a comment, or empty? */
bool wtl_csv_line_is_idle(const char *text, size_t length);

/* The next row into rows->cells, borrowed until the next call: 1, 0 at the end, -errno. */
int wtl_csv_rows_next(struct wtl_csv_rows *rows, struct wattle_error *err);

void wtl_csv_rows_end(struct wtl_csv_rows *rows);

#endif
