/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table made of lines that hold single values with their names, as perf, turbostat and likwid print them:
 * values of one time become one row. The text is read once beforehand to learn the columns.
 *
 * A format gives a function that is called for each line; it says the time and puts values. What is
 * put without a time waits for the next wtl_long_time().
 */
#ifndef WTL_EXCHANGE_LONG_TABLE_H
#define WTL_EXCHANGE_LONG_TABLE_H

#include "exchange/import/import_table.h"

/* What a format remembers from line to line: its own words. */
struct wtl_long_state {
    char mode, separator;
    int64_t time_ns; /* of the sample at hand */
    uint64_t samples;
    uint64_t every_ns; /* --time every: */
    int socket;
    size_t column_count, threads;
    char names[256][64]; /* of columns, from a header */
    int thread_ids[256];
};

struct wtl_long_format {
    const char *name; /* "perf" */
    const char *what; /* "output of perf stat" */
    /* One line, which may be written into. 0 or -errno with a sentence. */
    int (*line)(struct wtl_import_table *table,
                struct wtl_long_state *state,
                char *text,
                size_t n,
                struct wattle_error *err);
    bool from_zero; /* counts begin at time 0: the first row is one of zeros */
};

/* Open by a format. The source is the table's from now on, also on failure. 0 or -errno. */
int wtl_long_table_open(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_table_options *options,
                        const struct wtl_long_format *format,
                        struct wtl_import_table **ret_table,
                        struct wattle_error *err);

/* A value of this line. meaning: of its column, looked at when that is new. 0 or -errno. */
int wtl_long_put(struct wtl_import_table *table,
                 const char *name,
                 struct wtl_import_cell cell,
                 const struct wtl_meaning *meaning,
                 struct wattle_error *err);

/* What was put since the last call has this time. 0, or -EBADMSG when it goes back. */
int wtl_long_time(struct wtl_import_table *table, int64_t time_ns, struct wattle_error *err);

/* The number of the line at hand. */
uint64_t wtl_long_line(const struct wtl_import_table *table);

/* Text at blanks (separator 0; "<not counted>" is one word) or at a separator, in place; the number of words. */
size_t wtl_long_split(char *text, char separator, char **words, size_t most);

/* A meaning in one line; unit "" = none. */
struct wtl_meaning wtl_meaning_of(enum wattle_quantity quantity,
                                  const char *unit,
                                  enum wtl_import_kind kind);

#endif
