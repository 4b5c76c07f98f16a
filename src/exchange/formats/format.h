/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Format: a file that says how to recognise the recordings of a program and what their columns are (docs/format/import.md).
 * Reading a recording with it needs no guess.
 */
#ifndef WTL_EXCHANGE_FORMAT_H
#define WTL_EXCHANGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

enum wtl_format_shape {
    WTL_SHAPE_TABLE, /* rows of cells under a header */
    WTL_SHAPE_LINES, /* lines that match templates */
    WTL_SHAPE_JSON,
    WTL_SHAPE_LABELS /* name{label="value"} number time; and InfluxDB's name,label=value field=number time */
};

struct wtl_texts {
    char **items; /* owned */
    size_t count;
};

struct wtl_file_format {
    char *path;                                                 /* of the file */
    char *name, *about, *time, *zone, *cover, *record, *header; /* owned; NULL = not given */
    char *expect; /* owned: a line that matches this pattern must be understood */
    char *key, *value,
        *unit; /* tables in long form: cells with the name of a column, its value and unit */
    enum wtl_format_shape shape;
    char separator, point; /* 0 = as the file has it */
    char *
        stop; /* owned: the table ends at a row whose first cell matches this pattern; NULL = at the end of the file */
    struct wtl_texts know;    /* patterns: each matches one of the first lines */
    struct wtl_texts columns; /* "PATTERN=TARGET", the first that matches counts; cells in braces */
    struct wtl_texts ignore;  /* patterns of columns that are left out */
    struct wtl_texts lines;   /* templates */
    struct wtl_texts split;   /* names of cells that say what a row is about */
    struct wtl_texts skip;    /* "CELL=TEXT": rows that sum up others */
    struct wtl_texts missing; /* words for a missing value, besides the usual ones */
    bool samples;             /* rows belong to one sample until a column occurs again */
    bool time_follows;        /* values wait for the time after them */
    bool from_zero;           /* counts begin at time 0 */
    bool first;               /* the first interval is as long as the second */
    bool thousands;           /* digits are grouped by commas */
    bool sorted;              /* series follow each other, so that times go back */
    bool rest;                /* other columns by their headers, else left out */
};

struct wtl_formats {
    struct wtl_file_format *items;
    size_t count;
    struct wtl_texts broken; /* a sentence for each file that is no format */
};

/* Parse and check a file's text. 0; -EBADMSG with file and line; -ENOMEM. */
int wtl_format_parse(const char *path,
                     const char *text,
                     size_t size,
                     struct wtl_file_format *ret_format,
                     struct wattle_error *err);
void wtl_format_fini(struct wtl_file_format *format);

/* Add all *.ini of a folder in order of their names; one of the same name as an earlier one is skipped. A missing folder has none, and a
 * broken file only costs its format. 0 or -errno. */
int wtl_formats_add(struct wtl_formats *formats, const char *folder, struct wattle_error *err);
void wtl_formats_fini(struct wtl_formats *formats);

/* By name; NULL = none. */
const struct wtl_file_format *wtl_format_find(const struct wtl_formats *formats, const char *name);

/* The only format that the file with these first lines has: 0 and *ret_format, NULL if no format matches. -ENOTUNIQ with a message if there
 * are several. */
int wtl_format_recognise(const struct wtl_formats *formats,
                         const char *path,
                         const char *const *lines,
                         size_t count,
                         const struct wtl_file_format **ret_format,
                         struct wattle_error *err);

/* Does the whole text match a pattern, in which * is any text and ? any character? */
bool wtl_glob(const char *pattern, const char *text);

/* The target of a column; NULL = none, and *ret_ignored if the format leaves it out. */
const char *wtl_format_target(const struct wtl_file_format *format,
                              const char *column,
                              bool *ret_ignored);

#endif
