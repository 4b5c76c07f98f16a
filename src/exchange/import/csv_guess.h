/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a CSV file from its first lines: separator, decimal sign, header, column of times. What an
 * option says is not guessed. */
#ifndef WTL_EXCHANGE_CSV_GUESS_H
#define WTL_EXCHANGE_CSV_GUESS_H

#include "exchange/import/csv_rows.h"
#include "exchange/import/import_table.h"

struct wtl_csv_guess {
    char separator, point;
    bool has_rows;
    size_t width;           /* cells of a row */
    int header_line;        /* number in the head; -1 = none */
    bool header_is_comment; /* "# time power": a comment with as many words as there are columns */
    int first_line;         /* number in the head of the first row of numbers; -1 = none */
};

/* rows->separator is set, too. 0 or -errno with a sentence. */
int wtl_csv_guess_shape(struct wtl_csv_rows *rows,
                        const struct wtl_table_options *options,
                        struct wtl_csv_guess *ret_guess,
                        struct wattle_error *err);

/* The column of times and table->time, time_text. asked: "COLUMN[:UNIT[:EPOCH]]" or NULL. 0 or -errno. */
int wtl_csv_guess_time(struct wtl_import_table *table,
                       struct wtl_csv_rows *rows,
                       const struct wtl_csv_guess *guess,
                       const char *asked,
                       int *ret_column,
                       struct wattle_error *err);

/* The column that says how long a row's energies cover; -1 stays when there is none. */
int wtl_csv_guess_cover(struct wtl_import_table *table,
                        const char *asked,
                        int *ret_column,
                        struct wtl_time_form *ret_form,
                        struct wattle_error *err);

/* Mark columns that hold words in all of the first rows. */
void wtl_csv_guess_labels(struct wtl_import_table *table,
                          struct wtl_csv_rows *rows,
                          const struct wtl_csv_guess *guess);

/* The number of a column by name, or "#3" by number; -ENOENT. */
int wtl_import_find_column(const struct wtl_import_table *table, const char *name, size_t n);

#endif
