/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import: recordings of others become a trace. Every file is read twice. The survey learns what its
 * columns mean and what is wrong with them; nothing is written. Then the rows of all files, merged by
 * time, go into the trace as they are: faults are named, never mended unless an option asks for it.
 *
 *     wtl_import_create(&options, &import, err);
 *     wtl_import_survey(import, err);             columns, faults are there
 *     wtl_import_write(import, writer, err);      gaps and the rest of the faults are there
 *     wtl_import_destroy(import);
 *
 * Memory depends on the number of columns (some 700 bytes each), not on that of rows. One thread at a time.
 */
#ifndef WTL_EXCHANGE_IMPORT_H
#define WTL_EXCHANGE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "exchange/import/import_table.h"
#include "model/gap.h"
#include "trace/writer.h"

/* "csv", "perf", ..., in the order of enum wtl_import_format; NULL at the end. */
extern const char *const wtl_import_format_names[];

struct wtl_import_options {
    const char *const *paths; /* borrowed, as all texts here */
    size_t path_count;
    enum wtl_import_format format;
    struct wtl_table_options table;
    const char *const *columns; /* "COLUMN=TARGET" */
    size_t column_count;
    const char *const *shifts; /* "COLUMN=-1row" */
    size_t shift_count;
    const char *const *ignore; /* names or patterns of columns */
    size_t ignore_count;
    const char *const *only; /* the same; none = all */
    size_t only_count;
    bool has_start; /* time 0 of files that count from their start */
    int64_t start_realtime_ns;
    const char *run_id; /* what traces of one run share; NULL = none */
};

enum wtl_import_role {
    WTL_ROLE_CHANNEL = 0,
    WTL_ROLE_TIME,   /* rows are timed by it */
    WTL_ROLE_COVER,  /* how long the energies of a row cover */
    WTL_ROLE_IGNORED /* see why */
};

#define WTL_IMPORT_FALLS 8

struct wtl_import_fall {
    double from, to, dt_s;
    uint64_t line;
};

/* What the survey saw in one column, in the file's own unit. */
struct wtl_import_stats {
    uint64_t good, empty, nan, word, first_bad_line;
    int places, magnitude; /* digits behind and before the point */
    double first, last, least, most;
    double sum, rise_sum;    /* of all values; of rises from one to the next */
    double integral, time_s; /* value x time since the row before; that time */
    int64_t last_ns;
    uint64_t rises, falls, equals, longest_equal, equal_run, equal_line, run_line;
    struct wtl_import_fall fall[WTL_IMPORT_FALLS]; /* the first of them */
    double usual;           /* running mean of the size of values that are of the usual one */
    uint64_t odd, odd_line; /* values 10^3 or 10^6 times that, or that much less */
    int odd_power;          /* 3, 6, -3, -6 of the first of them */
};

struct wtl_import_column {
    char *header; /* owned */
    size_t file;
    size_t number; /* in its table */
    enum wtl_import_role role;
    const char *why; /* ignored: why; "" otherwise */
    struct wtl_meaning meaning;
    bool asked;            /* an option told the meaning */
    const char *unit_from; /* "header", "option", "power column", "size", "assumed" */
    int shift;             /* rows by which its values are moved on; negative: back */
    char name[WATTLE_NAME_MAX];
    bool primary;
    double unit_scale; /* file's unit into that of the quantity */
    int places;        /* the trace holds value * 10^places */
    uint64_t modulus;  /* in these; 0 = none known */
    struct wtl_import_stats stats;
    uint32_t channel; /* in the trace */
    size_t group;
};

/* Columns with rows of their own: in the order of a row's values. */
struct wtl_import_group {
    size_t file;
    bool covered;    /* counted by row, with a time that each row covers */
    size_t *columns; /* owned */
    size_t count;
    int64_t step_ns; /* from row to row where that is regular; 0 = it is not */
    uint32_t id;     /* in the trace */
};

#define WTL_IMPORT_PATTERNS 64
#define WTL_IMPORT_STEPS    255

/* A set of columns that have values in a row, and how often. */
struct wtl_import_pattern {
    uint8_t *bits; /* owned */
    uint64_t rows;
    int64_t last_ns, steps[WTL_IMPORT_STEPS];
    size_t step_count;
};

struct wtl_import_ring; /* rows that wait for a shift */

struct wtl_import_file {
    const char *path;
    struct wtl_import_table *table; /* while it is read */
    char *compression;              /* owned */
    uint64_t bytes;
    char time_text[96], shape_text[96], program[64], machine[64];
    char begin_text[40]; /* date of its first row, once it is written; "" = nothing tells */
    struct wtl_time_form time;
    size_t first_column, column_count; /* in the import's list */
    struct wtl_table_losses losses;
    uint64_t rows, back, repeated, first_disorder_line;
    int64_t first_ns, last_ns, first_cover_ns;
    int64_t given_ns; /* of the row that was given out last */
    uint8_t *at_once; /* owned: columns with a value at last_ns, a bit each */
    struct wtl_import_pattern patterns[WTL_IMPORT_PATTERNS];
    size_t pattern_count;
    struct wtl_import_ring *ring;
    struct wtl_import_row row; /* the present one */
    bool has_row;
    bool any_row; /* last_ns is set, of this reading */
};

/* What is wrong with the data. */
struct wtl_import_fault {
    const char *kind; /* "late column", see docs/guide/importing.md */
    size_t file;
    int column;        /* in the import's list; -1 = the file as a whole */
    uint64_t line;     /* of the first; 0 = none */
    uint64_t count;    /* rows or cells */
    double confidence; /* 0 .. 1; NaN = it is certain */
    char text[320];    /* a sentence without its file */
    char remedy[160];  /* the option that corrects it; "" = none */
};

enum { WTL_IMPORT_FAULTS_MAX = 256 };

struct wtl_import_pairs;

struct wtl_import {
    const struct wtl_import_options *options;
    struct wtl_import_file *files;
    size_t file_count;
    struct wtl_import_file *given; /* whose row was given out last */
    struct wtl_import_column *columns;
    size_t column_count, column_room;
    struct wtl_import_group *groups;
    size_t group_count;
    struct wtl_import_fault *faults;
    size_t fault_count, faults_left_out;
    struct wtl_import_pairs *pairs;
    bool realtime;             /* times count since 1970 */
    int64_t offset_ns;         /* trace time = time + this */
    int64_t first_ns, last_ns; /* of all rows, before the offset */
    uint64_t samples, gaps;    /* written */
};

/* Open all files and read their heads. The options must outlive the import. 0 or -errno with a sentence. */
int wtl_import_create(const struct wtl_import_options *options,
                      struct wtl_import **ret_import,
                      struct wattle_error *err);
void wtl_import_destroy(struct wtl_import *import); /* accepts NULL */

/* The first reading. 0; -EBADMSG, -ENODATA and others with a sentence. */
int wtl_import_survey(struct wtl_import *import, struct wattle_error *err);

/* The second reading. writer NULL: nothing is written, only looked at. 0 or -errno. */
int wtl_import_write(struct wtl_import *import,
                     struct wtl_trace_writer *writer,
                     struct wattle_error *err);

/* Provenance, mapping and faults as metadata of the trace; behind wtl_import_write(). */
void wtl_import_put_meta(const struct wtl_import *import, struct wtl_trace_writer *writer);

/* "FILE:LINE: kind: "COLUMN" sentence". */
void wtl_import_fault_sentence(const struct wtl_import *import,
                               const struct wtl_import_fault *fault,
                               char *text,
                               size_t size);

/* The name of a file without its folders, for sentences. */
const char *wtl_import_file_name(const char *path);

/* "package-0:power:W:gauge", as --column takes it. */
void wtl_import_target(const struct wtl_import_column *column, char *text, size_t size);

/* ---- between the files of this folder ---- */

/* (Re)open the tables and take their first rows. */
int wtl_import_rewind(struct wtl_import *import, struct wattle_error *err);
/* The file whose row is the next by time, its row in file->row; NULL at the end (*ret_rc 0) or on failure. */
struct wtl_import_file *wtl_import_next(struct wtl_import *import,
                                        int *ret_rc,
                                        struct wattle_error *err);

/* Headers into meanings, options first; called when columns come up. */
int wtl_import_add_columns(struct wtl_import *import,
                           struct wtl_import_file *file,
                           struct wattle_error *err);
/* Units, kinds, names, groups, when all statistics are there. */
int wtl_import_settle(struct wtl_import *import, struct wattle_error *err);

/* One row into the statistics of its columns. */
void wtl_import_count(struct wtl_import *import, struct wtl_import_file *file);

/* A new fault to be filled in, or a place that is thrown away when there are too many. */
struct wtl_import_fault *wtl_import_fault(struct wtl_import *import,
                                          const char *kind,
                                          size_t file,
                                          int column);
/* What the survey can tell. */
int wtl_import_find_faults(struct wtl_import *import, struct wattle_error *err);

/* Comparison of columns with each other: import_pairs.c. */
int wtl_import_pairs_row(struct wtl_import *import, const struct wtl_import_file *file);
void wtl_import_pairs_judge(struct wtl_import *import);
void wtl_import_pairs_free(struct wtl_import_pairs *pairs);

/* The range of a counter that fell, in the file's unit; 0 = none fits. step: what it counts from row to row. */
double wtl_import_range(const struct wtl_import_column *column,
                        const struct wtl_import_fall *fall,
                        double rate);

#endif
