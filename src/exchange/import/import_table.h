/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import table: a recording of others as rows of numbers with a time, whatever its format. Each format is
 * one file with an open function; the rest of the import knows only this.
 *
 * A table is read from the begin to the end, as often as it is opened. Columns may be found while it is
 * read (a new event of perf), and are the same, in the same order, at each reading. Memory does not depend
 * on the number of rows.
 */
#ifndef WTL_EXCHANGE_IMPORT_TABLE_H
#define WTL_EXCHANGE_IMPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "exchange/import/decimal.h"
#include "exchange/import/import_time.h"
#include "exchange/import/text_source.h"

/* Columns of one file that can be read; a trace holds 65536 channels. */
#define WTL_IMPORT_COLUMNS_MAX 200000

enum wtl_cell_form {
    WTL_CELL_GOOD = 0,
    WTL_CELL_EMPTY, /* nothing there */
    WTL_CELL_NAN,   /* a word for "no value": nan, null, n/a, -, <not counted> .. */
    WTL_CELL_WORD   /* other text */
};

struct wtl_import_cell {
    struct wtl_decimal value;
    enum wtl_cell_form form;
};

struct wtl_import_row {
    int64_t time_ns; /* since 1970 or since the start: see the table's epoch */
    int64_t
        cover_ns; /* > 0: energies that are counted by row cover so long before the time; 0 = since the
                         row before */
    uint64_t line;
    const struct wtl_import_cell *cells; /* by column; borrowed until the next row */
    size_t count;                        /* columns known so far */
};

/* How a column's numbers follow each other. */
enum wtl_import_kind {
    WTL_IMPORT_AUTO = 0,
    WTL_IMPORT_COUNTER, /* grows from row to row */
    WTL_IMPORT_DELTA,   /* what was counted since the row before */
    WTL_IMPORT_GAUGE,   /* the value at the time of the row */
    WTL_IMPORT_AVERAGE  /* the mean since the row before */
};

/* "auto", "counter", "delta", "gauge", "average", NULL. */
extern const char *const wtl_import_kind_names[];

/* What a column means; also in part, as a format or an option tells it. */
struct wtl_meaning {
    bool has_domain, has_quantity, has_unit, has_index;
    enum wattle_domain domain;
    enum wattle_quantity quantity;
    int index, sub; /* sub -1 = none */
    enum wtl_import_kind kind;
    enum wattle_quality quality;
    bool simulated; /* by the file's own word */
    char unit[8];
    char place[32];  /* the name's part before "-index"; "" = the domain */
    char sensor[16]; /* "" = that of the format */
};

/* A column as the file tells it. */
struct wtl_import_header {
    char *name;      /* UTF-8, never NULL */
    unsigned number; /* of the file's own columns, from 1; 0 = it has none */
    bool is_time;    /* rows are timed by it */
    bool is_cover;   /* the time that a row's energies cover */
    bool any_value;  /* of tables that are read beforehand: there is a number in it */
    bool is_label;   /* text that says nothing (of a long table: taken apart) */
    struct wtl_meaning meaning;
};

struct wtl_import_table;

struct wtl_table_ops {
    /* 1 and a row, 0 at the end, -errno with a sentence. */
    int (*next)(struct wtl_import_table *table,
                struct wtl_import_row *ret_row,
                struct wattle_error *err);
    void (*close)(struct wtl_import_table *table);
};

/* How tables are to be read. Texts are borrowed. */
struct wtl_table_options {
    const char *time;  /* "COLUMN[:UNIT[:EPOCH]]", "every:DURATION"; NULL = guessed */
    const char *cover; /* "COLUMN[:UNIT]"; NULL = guessed */
    char separator;    /* 0 = guessed */
    char point;        /* decimal sign; 0 = guessed */
    int header;        /* -1 guessed, 0 none, 1 there is one */
    bool lenient;      /* what cannot be read is left out and counted */
    const char
        *part; /* of files that hold several machines: the one to read; NULL = there is one */
};

/* Where a region begins or ends, as the recording tells it. */
struct wtl_import_mark {
    int64_t time_ns; /* as of rows; in the order of time */
    uint32_t name;   /* from 1 */
    bool begin;
};

/* What is wrong with a file, beside its columns. */
struct wtl_import_note {
    const char *kind;
    uint64_t line, count;
    char text[320];
};

enum { WTL_IMPORT_NOTES_MAX = 8 };

/* What was left out because `lenient` was asked for. */
struct wtl_table_losses {
    uint64_t short_rows, long_rows, bad_times, words;
    uint64_t first_line; /* of any of them */
};

struct wtl_import_table {
    const struct wtl_table_ops *ops;
    const char *path;                  /* borrowed */
    const char *sensor;                /* "csv", "perf", ... */
    struct wtl_import_header *headers; /* owned */
    size_t column_count;
    struct wtl_time_form time;
    char time_text[96];  /* the option that says how times are read: "timestamp:s:1970" */
    char shape_text[96]; /* other options that are in force: "--separator ';'"; "" = none */
    char program[64];    /* who recorded, as far as the file tells */
    char machine[64];    /* where */
    struct wtl_table_losses losses;
    bool has_zero;                       /* the recording's own time 0 is known: */
    int64_t zero_ns;                     /* as of rows */
    const struct wtl_import_mark *marks; /* regions; the table's, there as soon as it is open */
    size_t mark_count;
    char *const *mark_names; /* number i is mark_names[i - 1] */
    struct wtl_import_note notes[WTL_IMPORT_NOTES_MAX];
    size_t note_count;
    void *own; /* of the format */
};

/*
 * The formats: a new one is a row here and a file with its function wtl_NAME_table_open(). It opens a table: 0, or -errno with a
 * sentence. The path must outlive the table; the source is the table's from now on, also on failure.
 */
#define WTL_IMPORT_FORMATS(FORMAT) \
    FORMAT(CSV, csv)               \
    FORMAT(PERF, perf)             \
    FORMAT(TURBOSTAT, turbostat)   \
    FORMAT(LIKWID, likwid)         \
    FORMAT(MONEQ, moneq)

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

/* A note to be filled in, its kind set; the last one once there are too many. */
struct wtl_import_note *wtl_import_table_note(struct wtl_import_table *table, const char *kind);

/* Add a column; its number, or -ENOMEM, -E2BIG with a sentence. */
int wtl_import_table_add(struct wtl_import_table *table,
                         const char *name,
                         size_t length,
                         struct wattle_error *err);

/* Is this cell a word for "no value"? */
bool wtl_cell_is_nan(const char *text, size_t n);

/* Read a cell: its form, and its value when that is good. */
struct wtl_import_cell wtl_cell_read(const char *text, size_t n, char point);

#endif
