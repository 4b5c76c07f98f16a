/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table assembled from lines with single named values, as printed by likwid and most others:
 * values of one time become one row. The text is read once beforehand to find the columns.
 *
 * A format provides a function that is called for each line; it sets the time and puts values.
 * Values without a time wait for the next wtl_long_time().
 */
#ifndef WTL_EXCHANGE_LONG_TABLE_H
#define WTL_EXCHANGE_LONG_TABLE_H

#include "exchange/import/import_table.h"

/* What a format remembers from line to line; the fields are for its own use. */
struct wtl_long_state {
    char mode, separator;
    int64_t time_ns; /* time of the current sample */
    uint64_t samples;
    uint64_t every_ns; /* --time every: */
    void *context;     /* the format's */
    bool scanning;     /* first pass, which finds the columns */
    int socket;
    size_t column_count, threads;
    char names[256][64]; /* column names, from a header */
    int thread_ids[256];
};

struct wtl_long_format {
    const char *name; /* "perf" */
    const char *what; /* "output of perf stat" */
    /* One line, which may be modified. 0 or -errno with a message. */
    int (*line)(struct wtl_import_table *table,
                struct wtl_long_state *state,
                char *text,
                size_t n,
                struct wattle_error *err);
    bool from_zero;     /* counts start at time 0: the first row is all zeros */
    bool first;         /* the first interval is as long as the second */
    bool sorted;        /* times go back: all values are kept and sorted */
    bool may_have_time; /* --time may name something else than every: */
    bool ends_lines;    /* a file without a line break at its end was cut off */
    void *context;      /* becomes the state's */
    void (*done)(
        void *
            context); /* at the end; NULL = nothing to do. The format is part of the context and not used any more */
};

/* Called by a format to open a table, which takes ownership of the source, also on failure. 0 or
 * -errno. */
int wtl_long_table_open(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_table_options *options,
                        const struct wtl_long_format *format,
                        struct wtl_import_table **ret_table,
                        struct wattle_error *err);

/* A value from this line. meaning: of its column, used if that is new. 0 or -errno. */
int wtl_long_put(struct wtl_import_table *table,
                 const char *name,
                 struct wtl_import_cell cell,
                 const struct wtl_meaning *meaning,
                 struct wattle_error *err);

/* Set the time of everything put since the last call. 0, or -EBADMSG if it goes backwards. */
int wtl_long_time(struct wtl_import_table *table, int64_t time_ns, struct wattle_error *err);

/* A value that holds from its time up to the next one. */
struct wtl_long_held {
    struct wtl_import_cell cell;
    int64_t since_ns;
    bool any;
};

/* From time_ns on the column has the value of `next`: what it had until then becomes the value of a row at this time, which covers the
 * time since. next NULL: at the end. 0 or -errno. */
int wtl_long_hold(struct wtl_import_table *table,
                  const char *name,
                  const struct wtl_meaning *meaning,
                  struct wtl_long_held *held,
                  const struct wtl_import_cell *next,
                  int64_t time_ns,
                  struct wattle_error *err);

/* The column of this name; -ENOENT. */
int wtl_long_find(const struct wtl_import_table *table, const char *name);

/* What is put next covers this time before its own. */
void wtl_long_cover(struct wtl_import_table *table, int64_t cover_ns);

/* For functions of the format that are not called with it. */
const struct wtl_long_state *wtl_long_state_of(const struct wtl_import_table *table);

/* Is the current line the last one, without a line break? */
bool wtl_long_is_cut(const struct wtl_import_table *table);

/* Note that the recording was cut off. */
void wtl_long_cut_off(struct wtl_import_table *table);

/* The number of the current line. */
uint64_t wtl_long_line(const struct wtl_import_table *table);

/* Split text at blanks (separator 0; "<not counted>" is one word) or at a separator, in place;
 * returns the number of words. */
size_t wtl_long_split(char *text, char separator, char **words, size_t most);

/* Build a meaning; unit "" = none. */
struct wtl_meaning wtl_meaning_of(enum wattle_quantity quantity,
                                  const char *unit,
                                  enum wtl_import_kind kind);

#endif
