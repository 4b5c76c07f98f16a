/* SPDX-License-Identifier: BSD-3-Clause */
/* Guesses the format of a CSV file from its first lines: separator, decimal sign, header, time
 * column. Options override guesses. */
#ifndef WTL_EXCHANGE_CSV_GUESS_H
#define WTL_EXCHANGE_CSV_GUESS_H

#include "exchange/import/csv_rows.h"
#include "exchange/import/import_table.h"

struct wtl_csv_guess {
    char separator, point;
    bool has_rows;
    size_t width;           /* cells of a row */
    int header_line;        /* index in the head; -1 = none */
    bool header_is_comment; /* "# time power": a comment with as many words as there are columns */
    int first_line;         /* index in the head of the first row of numbers; -1 = none */
};

/* Also sets rows->separator. 0 or -errno with a message. */
int wtl_csv_guess_shape(struct wtl_csv_rows *rows,
                        const struct wtl_table_options *options,
                        struct wtl_csv_guess *ret_guess,
                        struct wattle_error *err);

/* Find the time column, or two for date and time (else -1), and set table->time, time_text. asked: "COLUMN[+COLUMN][:UNIT[:EPOCH]]"
 * or NULL. 0 or -errno. */
int wtl_csv_guess_time(struct wtl_import_table *table,
                       struct wtl_csv_rows *rows,
                       const struct wtl_csv_guess *guess,
                       const struct wtl_table_options *options,
                       const char *asked,
                       int ret_columns[2],
                       struct wattle_error *err);

/* Find the column that gives the time covered by a row's energies; stays -1 if there is none. */
int wtl_csv_guess_cover(struct wtl_import_table *table,
                        const char *asked,
                        int *ret_column,
                        struct wtl_time_form *ret_form,
                        struct wattle_error *err);

/* Mark columns that contain words in all of the first rows. */
void wtl_csv_guess_labels(struct wtl_import_table *table,
                          struct wtl_csv_rows *rows,
                          const struct wtl_csv_guess *guess);

#endif
