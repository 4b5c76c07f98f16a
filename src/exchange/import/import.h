/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import: converts recordings of other tools to a trace. Every file is read twice. The survey
 * learns what its columns mean and what is wrong with them; it writes nothing. Then the rows of all
 * files, merged by time, are written to the trace unchanged: faults are reported, and corrected
 * only if an option requests it.
 *
 *     wtl_import_create(&options, &import, err);
 *     wtl_import_survey(import, err);             finds columns and faults
 *     wtl_import_write(import, writer, err);      finds gaps and the remaining faults
 *     wtl_import_destroy(import);
 *
 * Memory depends on the number of columns (about 700 bytes each), not on the number of rows. One
 * thread at a time.
 */
#ifndef WTL_EXCHANGE_IMPORT_H
#define WTL_EXCHANGE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "exchange/formats/format.h"
#include "exchange/import/import_table.h"
#include "model/gap.h"
#include "trace/writer.h"

/* "csv", "perf", ..., in the order of enum wtl_import_format; terminated by NULL. */
extern const char *const wtl_import_format_names[];

struct wtl_import_options {
    const char *const *paths; /* borrowed, like all texts here */
    size_t path_count;
    const struct wtl_formats *formats; /* those that can be recognised */
    const char *from;                  /* the name of one, or of a reader; NULL = recognised */
    const char *const *split;          /* columns of a CSV that name what a row is about */
    size_t split_count;
    struct wtl_table_options table;
    /* A question about the meaning of a column, with what is likely: may it be assumed? NULL = nobody can be asked. */
    bool (*ask)(void *context, const char *question);
    void *ask_context;
    const char *const *columns; /* "COLUMN=TARGET" */
    size_t column_count;
    const char *const *shifts; /* "COLUMN=-1row" */
    size_t shift_count;
    const char *const *ignore; /* names or patterns of columns */
    size_t ignore_count;
    const char *const *only; /* the same; none = all */
    size_t only_count;
    bool spread;    /* rows of one time are spread evenly up to the next time */
    bool has_start; /* time 0 of files with relative times */
    int64_t start_realtime_ns;
    /* Called now and then: how much of a file was read, in each of the passes over it. NULL = not. */
    void (*progress)(void *context, uint64_t done, uint64_t all);
    void *progress_context;
    const char *node;        /* the machine; NULL = as the files say */
    const char *const *meta; /* "KEY=VALUE" */
    size_t meta_count;
    double
        most_lost; /* share of rows or of a column's cells that --lenient may leave out; 0 = 5 % */
    const char *run_id; /* shared by the traces of one run; NULL = none */
};

enum wtl_import_role {
    WTL_ROLE_CHANNEL = 0,
    WTL_ROLE_TIME,   /* the time of rows */
    WTL_ROLE_COVER,  /* time covered by the energies of a row */
    WTL_ROLE_IGNORED /* see why */
};

#define WTL_IMPORT_FALLS 8

struct wtl_import_fall {
    double from, to, dt_s;
    uint64_t line;
};

/* Statistics of one column from the survey, in the file's own unit. */
struct wtl_import_stats {
    uint64_t good, empty, nan, word, first_bad_line;
    int places, magnitude; /* digits after and before the point */
    double first, last, least, most;
    double sum, rise_sum;    /* sums of all values; of increases from one to the next */
    double integral, time_s; /* value x time since the previous row; that time */
    int64_t last_ns;
    uint64_t rises, falls, equals, longest_equal, equal_run, equal_line, run_line;
    struct wtl_import_fall fall[WTL_IMPORT_FALLS]; /* the first ones */
    double before;                                 /* the value before the last */
    uint64_t glitches, glitch_line; /* single values off a rising curve, below or far above it */
    double usual;                   /* running mean of the magnitude of ordinary values */
    uint64_t odd, odd_line;         /* values larger or smaller by 10^3 or 10^6 */
    int odd_power;                  /* 3, 6, -3, -6 for the first of them */
};

struct wtl_import_column {
    char *header; /* owned */
    size_t file;
    size_t number; /* in its table */
    enum wtl_import_role role;
    const char *why; /* if ignored: why; else "" */
    struct wtl_meaning meaning;
    bool asked;                        /* an option specified the meaning */
    const char *unit_from, *kind_from; /* "header", "format", "option", "unit", "assumed" */
    int shift; /* rows by which its values are shifted; negative: to earlier rows */
    char name[WATTLE_NAME_MAX];
    bool primary;
    double unit_scale; /* from the file's unit to that of the quantity */
    int places;        /* the trace holds value * 10^places */
    uint64_t modulus;  /* in these units; 0 = unknown */
    struct wtl_import_stats stats;
    uint32_t channel;        /* in the trace */
    double amount, amount_s; /* written: joules, or the sum of others x time; over this time */
    size_t group;
};

/* Columns that share rows: in the order of a row's values. */
struct wtl_import_group {
    size_t file;
    bool covered;    /* counted per row, with a time covered by each row */
    size_t *columns; /* owned */
    size_t count;
    int64_t step_ns; /* step between rows if regular; else 0 */
    uint32_t id;     /* in the trace */
};

#define WTL_IMPORT_PATTERNS 64
#define WTL_IMPORT_STEPS    255

/* A set of columns that have values in the same row, and how often. */
struct wtl_import_pattern {
    uint8_t *bits; /* owned */
    uint64_t rows;
    int64_t last_ns, steps[WTL_IMPORT_STEPS];
    size_t step_count;
};

enum { WTL_IMPORT_SHIFT_MAX = 64 }; /* maximum shift in rows */

struct wtl_import_ring;   /* rows that wait for a shift */
struct wtl_import_spread; /* rows that wait for the next time */

struct wtl_import_file {
    const char *path;
    enum wtl_import_format reader;
    const struct wtl_file_format *format; /* NULL = none */
    struct wtl_file_format split;         /* made of the option, if given */
    struct wtl_import_table *table;       /* while it is being read */
    char *compression;                    /* owned */
    uint64_t bytes;
    char time_text[96], shape_text[96], program[64], machine[64], assumed[128];
    char begin_text[40]; /* date of its first row, once it is written; "" = unknown */
    struct wtl_time_form time;
    size_t first_column, column_count; /* in the import's list */
    struct wtl_table_losses losses;
    uint64_t rows, back, repeated, first_disorder_line;
    int64_t first_ns, last_ns;
    bool has_cover;   /* a row says which time it covers */
    int64_t given_ns; /* time of the row returned last */
    uint8_t *at_once; /* owned: bitmap of columns with a value at last_ns */
    struct wtl_import_pattern patterns[WTL_IMPORT_PATTERNS];
    size_t pattern_count;
    struct wtl_import_ring *ring;
    struct wtl_import_spread *spread; /* NULL = times are used as they are */
    struct wtl_import_row row;        /* the current one */
    bool has_row;
    bool any_row; /* last_ns is set, in this pass */
};

/* A problem with the data. */
struct wtl_import_fault {
    const char *kind; /* "late column", see docs/guide/importing.md */
    size_t file;
    int column;        /* in the import's list; -1 = the whole file */
    uint64_t line;     /* first line affected; 0 = none */
    uint64_t count;    /* rows or cells */
    double confidence; /* 0 .. 1; NaN = certain */
    char text[320];    /* the message without the file name */
    char remedy[160];  /* the option that corrects it; "" = none */
};

enum { WTL_IMPORT_FAULTS_MAX = 256 };

struct wtl_import_pairs;

struct wtl_import {
    const struct wtl_import_options *options;
    struct wtl_import_file *files;
    size_t file_count;
    struct wtl_import_file *given; /* file of the row returned last */
    struct wtl_import_column *columns;
    size_t column_count, column_room;
    struct wtl_import_group *groups;
    size_t group_count;
    struct wtl_import_fault *faults;
    size_t fault_count, faults_left_out;
    struct wtl_import_pairs *pairs;
    bool realtime;             /* times are relative to 1970 */
    int64_t offset_ns;         /* trace time = time + this */
    int64_t first_ns, last_ns; /* range over all rows, before the offset */
    uint64_t samples, gaps;    /* written */
    char assumed[512]; /* what was assumed about columns, for the flag ASSUMED; "" = nothing */
};

/* Open all files and read their heads. The options must outlive the import. 0 or -errno with a
 * message. */
int wtl_import_create(const struct wtl_import_options *options,
                      struct wtl_import **ret_import,
                      struct wattle_error *err);
void wtl_import_destroy(struct wtl_import *import); /* accepts NULL */

/* First pass. 0; -EBADMSG, -ENODATA and others with a message. */
int wtl_import_survey(struct wtl_import *import, struct wattle_error *err);

/* Second pass. writer NULL: check only, write nothing. 0 or -errno. */
int wtl_import_write(struct wtl_import *import,
                     struct wtl_trace_writer *writer,
                     struct wattle_error *err);

/* Write provenance, mapping and faults as metadata of the trace; call after wtl_import_write(). */
void wtl_import_put_meta(const struct wtl_import *import, struct wtl_trace_writer *writer);

/* "FILE:LINE: kind: "COLUMN" sentence". */
void wtl_import_fault_sentence(const struct wtl_import *import,
                               const struct wtl_import_fault *fault,
                               char *text,
                               size_t size);

/* The name of a file without its folders, for messages. */
const char *wtl_import_file_name(const char *path);

/* "package-0:power:W:gauge", as accepted by --column. */
void wtl_import_target(const struct wtl_import_column *column, char *text, size_t size);

/* ---- shared by the files of this folder ---- */

/* (Re)open the tables and read their first rows. */
int wtl_import_rewind(struct wtl_import *import, struct wattle_error *err);
/* The file with the next row by time, the row in file->row; NULL at the end (*ret_rc 0) or on
 * failure. */
struct wtl_import_file *wtl_import_next(struct wtl_import *import,
                                        int *ret_rc,
                                        struct wattle_error *err);

/* Find out the format of a file and open it. 0 or -errno. */
int wtl_import_open(struct wtl_import *import,
                    struct wtl_import_file *file,
                    struct wattle_error *err);
/* "perf-csv", "csv", ..: how a file is read. */
const char *wtl_import_format_name(const struct wtl_import_file *file);

/* Determine the meaning of headers, options first; called when columns appear. */
int wtl_import_add_columns(struct wtl_import *import,
                           struct wtl_import_file *file,
                           struct wattle_error *err);
/* Determine units, kinds, names, groups, once all statistics are complete. */
int wtl_import_settle(struct wtl_import *import, struct wattle_error *err);

/* A new fault to fill in, or a dummy if there are too many. */
struct wtl_import_fault *wtl_import_fault(struct wtl_import *import,
                                          const char *kind,
                                          size_t file,
                                          int column);
/* The mean power that the domain of a column draws at least. */
double wtl_import_least_w(const struct wtl_import_column *column);
/* Find the faults that the survey can detect. */
int wtl_import_find_faults(struct wtl_import *import, struct wattle_error *err);

/* Comparison of columns with each other: import_pairs.c. */
int wtl_import_pairs_row(struct wtl_import *import, const struct wtl_import_file *file);
void wtl_import_pairs_judge(struct wtl_import *import);
void wtl_import_pairs_free(struct wtl_import_pairs *pairs);

/* The range of a counter that fell, in the file's unit; 0 = none fits. step: its usual increase
 * from row to row. */
double wtl_import_range(const struct wtl_import_column *column,
                        const struct wtl_import_fall *fall,
                        double rate);
/* Whether this range explains it. */
bool wtl_import_explains(double range, const struct wtl_import_fall *fall, double rate);

#endif
