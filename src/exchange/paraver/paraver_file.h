/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading Paraver traces: the header of a .prv, its records, and the names in the .pcf and .row beside it
 * (docs/format/paraver.md). Numbers with decimals, which pmlib writes, are accepted although Paraver's own reader takes the
 * point for the end of a field.
 */
#ifndef WTL_EXCHANGE_PARAVER_FILE_H
#define WTL_EXCHANGE_PARAVER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "exchange/import/import_time.h"

/* Threads of a file; Paraver's own limit for each kind of object is 65535. */
#define WTL_PARAVER_THREADS_MAX 1000000

struct wtl_paraver_task {
    unsigned application; /* from 1 */
    unsigned node;        /* from 1; 0 = unknown */
    unsigned threads;
    size_t first; /* thread of the file, from 0 */
};

struct wtl_paraver_head {
    struct wtl_time_form time; /* of the records */
    int64_t end_ns;
    unsigned nodes;
    unsigned applications;
    size_t *first_task;             /* by application; owned */
    struct wtl_paraver_task *tasks; /* owned */
    size_t task_count, task_room, thread_count;
};

/* Parse the first line. 0; -EBADMSG, or -ENOMEM, with a message that names the file. */
int wtl_paraver_head_parse(struct wtl_paraver_head *head,
                           const char *path,
                           const char *line,
                           struct wattle_error *err);
void wtl_paraver_head_fini(struct wtl_paraver_head *head);

/* ---- names ---- */

struct wtl_paraver_type {
    uint32_t type;
    uint32_t block; /* types of one block share values */
    int decimals;   /* PRECISION */
    char *name;
};

struct wtl_paraver_value {
    uint32_t block; /* 0 = states */
    int64_t value;
    char *name;
};

struct wtl_paraver_names {
    struct wtl_paraver_type *types;   /* sorted; owned */
    struct wtl_paraver_value *values; /* sorted; owned */
    char **nodes;                     /* owned */
    size_t type_count, value_count, node_count;
};

/* Read the .pcf and .row beside a .prv; what is missing has no names. 0; -E2BIG, -ENOMEM, or an error of reading, with a message. */
int wtl_paraver_names_read(struct wtl_paraver_names *names,
                           const char *path,
                           struct wattle_error *err);
void wtl_paraver_names_fini(struct wtl_paraver_names *names);

const struct wtl_paraver_type *wtl_paraver_type_find(const struct wtl_paraver_names *names,
                                                     uint32_t type);
/* NULL if it has none. block 0: of a state. */
const char *wtl_paraver_value_name(const struct wtl_paraver_names *names,
                                   uint32_t block,
                                   int64_t value);

/* ---- records ---- */

/* The next field of a record, which ends with ':' or the text; *text moves behind it. "" at the end. */
struct wtl_paraver_field {
    const char *text;
    size_t length;
};
struct wtl_paraver_field wtl_paraver_next(const char **text);
/* Its integer part; false if it has none. */
bool wtl_paraver_integer(struct wtl_paraver_field field, int64_t *ret);

/* The begin of a record of kind 1 or 2: who and when. */
struct wtl_paraver_record {
    char kind;
    size_t thread; /* of the file */
    const struct wtl_paraver_task *task;
    int64_t time_ns;
    const char *rest; /* end and state, or types and values */
};

/* 1: a record of kind 1 or 2; 0: something else to be passed over; -EBADMSG: *ret_why says what is wrong. */
int wtl_paraver_record_parse(const struct wtl_paraver_head *head,
                             const char *line,
                             struct wtl_paraver_record *ret_record,
                             const char **ret_why);

#endif
