/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import table: a recording of another tool as rows of numbers with a time, whatever its format.
 * Each format is one file with an open function; the rest of the import uses only this interface.
 *
 * A table is read from begin to end each time it is opened. Columns may be discovered while reading
 * (a new perf event), and are the same, in the same order, in each pass. Memory does not depend on
 * the number of rows.
 */
#ifndef WTL_EXCHANGE_IMPORT_TABLE_H
#define WTL_EXCHANGE_IMPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "exchange/channel_traits.h"
#include "exchange/import/decimal.h"
#include "exchange/import/import_time.h"
#include "exchange/import/text_source.h"
#include "model/gap.h"

/* Readable columns of one file; a trace holds 65536 channels. */
#define WTL_IMPORT_COLUMNS_MAX 200000

enum wtl_cell_form {
    WTL_CELL_GOOD = 0,
    WTL_CELL_EMPTY, /* empty cell */
    WTL_CELL_NAN,   /* a word for "no value": nan, null, n/a, -, <not counted> .. */
    WTL_CELL_WORD   /* other text */
};

struct wtl_import_cell {
    struct wtl_decimal value;
    enum wtl_cell_form form;
};

struct wtl_import_row {
    int64_t time_ns;  /* since 1970 or since the start: see the table's epoch */
    int64_t cover_ns; /* > 0: energies counted per row cover this time before time_ns; 0 = since the
                   * previous row */
    uint64_t line;
    const struct wtl_import_cell *cells; /* by column; borrowed until the next row */
    size_t count;                        /* columns known so far */
};

/* How the numbers of a column relate to each other. */
enum wtl_import_kind {
    WTL_IMPORT_AUTO = 0,
    WTL_IMPORT_COUNTER, /* increases from row to row */
    WTL_IMPORT_DELTA,   /* counted since the previous row */
    WTL_IMPORT_GAUGE,   /* the value at the time of the row */
    WTL_IMPORT_AVERAGE  /* the mean since the previous row */
};

/* "auto", "counter", "delta", "gauge", "average", NULL. */
extern const char *const wtl_import_kind_names[];

/* The meaning of a column; may be partial, as given by a format or an option. */
struct wtl_meaning {
    bool has_domain, has_quantity, has_unit, has_index;
    enum wattle_domain domain;
    enum wattle_quantity quantity;
    int index, sub; /* sub -1 = none */
    enum wtl_import_kind kind;
    enum wattle_quality quality;
    bool simulated; /* according to the file itself */
    bool by_format; /* stated by a format file */
    bool unit_in_cells;
    const char *doubt; /* what contradicts it; NULL = nothing */
    char within[32];   /* the place that contains it, "package-0"; "" = none known */
    char unit[8];
    char place[32];                   /* the part of the name before "-index"; "" = the domain */
    char sensor[16];                  /* "" = the format's */
    struct wtl_channel_traits traits; /* according to the file itself */
};

/* A column as described by the file. */
struct wtl_import_header {
    char *name;      /* UTF-8, never NULL */
    unsigned number; /* number among the file's own columns, from 1; 0 = none */
    bool is_time;    /* the time of rows */
    bool is_cover;   /* the time covered by a row's energies */
    bool any_value;  /* in tables that are read beforehand: it contains a number */
    bool is_series;  /* it names what its rows are about, which is not always the same */
    bool left_out;   /* its format leaves it out */
    bool is_label;   /* text without information (in a long table: split up) */
    struct wtl_meaning meaning;
};

struct wtl_import_table;
struct wtl_file_format;
struct wtl_trace_writer;

struct wtl_table_ops {
    /* 1 and a row, 0 at the end, -errno with a message. */
    int (*next)(struct wtl_import_table *table,
                struct wtl_import_row *ret_row,
                struct wattle_error *err);
    void (*close)(struct wtl_import_table *table);
};

/* How to read tables. Texts are borrowed. */
struct wtl_table_options {
    const char *time;               /* "COLUMN[:UNIT[:EPOCH]]", "every:DURATION"; NULL = guessed */
    const char *zone;               /* of dates without one; NULL = the format's, or UTC */
    const char *cover;              /* "COLUMN[:UNIT]"; NULL = guessed */
    char separator;                 /* 0 = guessed */
    char point;                     /* decimal sign; 0 = guessed */
    int header;                     /* -1 guessed, 0 none, 1 there is one */
    bool lenient;                   /* skip and count what cannot be read */
    bool assume;                    /* take what is likely, and say so */
    bool thousands;                 /* digits are grouped */
    enum wtl_time_unit time_format; /* of dates; AUTO = not given */
    const struct wtl_file_format *format; /* NULL = none: by headers and options */
    const char
        *part; /* for files with several machines: the one to read; NULL = there is only one */
};

/* Begin or end of a region in the recording. */
struct wtl_import_mark {
    int64_t time_ns; /* like in rows; in time order */
    uint32_t name;   /* from 1 */
    bool begin;
};

/* A problem of a file, not of a column. */
struct wtl_import_note {
    const char *kind;
    uint64_t line, count;
    char text[320];
};

enum { WTL_IMPORT_NOTES_MAX = 8 };

/* Time without a value of a column, as the recording itself states it: like in rows, from the last good value to the next. */
struct wtl_import_gap {
    size_t column;
    enum wtl_gap_reason reason;
    int64_t begin_ns, end_ns;
};

/* What was skipped because of `lenient`. */
struct wtl_table_losses {
    uint64_t short_rows, long_rows, bad_times, words;
    uint64_t first_line; /* first of any kind */
};

struct wtl_import_table {
    const struct wtl_table_ops *ops;
    const char *path;                  /* borrowed */
    const char *sensor;                /* "csv", "perf", ... */
    struct wtl_import_header *headers; /* owned */
    size_t column_count;
    struct wtl_time_form time;
    char time_text[96];  /* the option for how times are read: "timestamp:s:1970" */
    char shape_text[96]; /* other options in effect: "--separator ';'"; "" = none */
    char program[64];    /* the recording program, if known */
    char assumed[128];   /* what was assumed about its times; "" = nothing */
    char machine[64];    /* the machine, if known */
    struct wtl_table_losses losses;
    int64_t seen_ns;                     /* last time in the recording, also of what is left out */
    bool has_zero;                       /* the recording's own time 0 is known: */
    int64_t zero_ns;                     /* like in rows */
    const struct wtl_import_mark *marks; /* regions; owned by the table, available after opening */
    size_t mark_count;
    char *const *mark_names; /* number i is mark_names[i - 1] */
    struct wtl_import_note notes[WTL_IMPORT_NOTES_MAX];
    size_t note_count;
    struct wtl_import_gap *gaps; /* owned, available after opening; by column, then time */
    size_t gap_count;
    /* Write regions, tasks and events of all threads to the trace, with the time of rows + offset_ns; NULL = the marks above are all.
     * 0 or -errno with a message. */
    int (*put_marks)(struct wtl_import_table *table,
                     struct wtl_trace_writer *writer,
                     int64_t offset_ns,
                     struct wattle_error *err);
    void *own; /* state of the format */
};

/*
 * The readers of files that format files (format.h) cannot describe, and of CSV: each is a function wtl_NAME_table_open(), which
 * opens a table: 0, or -errno with a message. The path must outlive the table, which takes
 * ownership of the source, also on failure.
 */
#define WTL_IMPORT_FORMATS(FORMAT) \
    FORMAT(CSV, csv)               \
    FORMAT(LIKWID, likwid)         \
    FORMAT(MONEQ, moneq)           \
    FORMAT(PARAVER, paraver)       \
    FORMAT(OTF2, otf2)

typedef int wtl_import_table_open(const char *path,
                                  struct wtl_text_source *source,
                                  const struct wtl_table_options *options,
                                  struct wtl_import_table **ret_table,
                                  struct wattle_error *err);

#define WTL_IMPORT_ENUM(UPPER, lower) WTL_IMPORT_##UPPER,
#define WTL_IMPORT_OPEN(UPPER, lower) wtl_import_table_open wtl_##lower##_table_open;
enum wtl_import_format { WTL_IMPORT_FORMATS(WTL_IMPORT_ENUM) };
WTL_IMPORT_FORMATS(WTL_IMPORT_OPEN)

void wtl_import_table_close(struct wtl_import_table *table); /* accepts NULL */

/* Add a gap, in any order; empty ones are passed over. 0 or -ENOMEM. */
int wtl_import_table_gap(struct wtl_import_table *table, struct wtl_import_gap gap);
/* All of them are there: sort them. */
void wtl_import_table_gaps_end(struct wtl_import_table *table);

/* A note to fill in, with its kind set; the last one if there are too many. */
struct wtl_import_note *wtl_import_table_note(struct wtl_import_table *table, const char *kind);

/* Add a column; returns its index, or -ENOMEM, -E2BIG with a message. */
int wtl_import_table_add(struct wtl_import_table *table,
                         const char *name,
                         size_t length,
                         struct wattle_error *err);

/* "55.12 W": a number with the unit of its column, or any unit of a column without one, which becomes its unit. *ret_foreign: the unit is
 * another one. */
void wtl_cell_with_unit(const char *text,
                        char point,
                        struct wtl_meaning *meaning,
                        struct wtl_import_cell *cell,
                        bool *ret_foreign);

/* Remove ":WORD" from the end of a text if WORD is in a list; returns its index, 0 if none. */
int wtl_import_take_suffix(char *text, const char *const *names);

/* Parse a cell: its form, and its value if valid. */
struct wtl_import_cell wtl_cell_read(const char *text, size_t n, char point);
/* The same for a number with groups of three digits: "1,234.5". */
struct wtl_import_cell wtl_cell_ungroup(const char *text, size_t n, char point);

#endif
