/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of fields: of what a record contains (record.c), for its JSON, the columns of the database, docs/format/jobs.md. */
#ifndef WTL_JOBS_FIELD_H
#define WTL_JOBS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <wattle/error.h>

enum wtl_job_form {
    WTL_JOB_TEXT,  /* char[size]; "" = unknown */
    WTL_JOB_KEY,   /* the same, and part of the key */
    WTL_JOB_WHOLE, /* int64_t, or uint64_t below 2^63 */
    WTL_JOB_REAL,  /* double; NaN = unknown */
    WTL_JOB_FLAG,  /* bool */
    WTL_JOB_WORD   /* int, index into words */
};

struct wtl_job_field {
    const char *name, *column;
    enum wtl_job_form form;
    size_t offset, size;
    int64_t unknown;        /* of a whole number */
    double lowest, highest; /* of a known number */
    const char *const
        *words; /* up to NULL; the first = unknown to a reader that does not know the word */
    const char *help;
};

struct wtl_job_fields {
    const struct wtl_job_field *list;
    size_t count;
};

/* Set all to unknown. */
void wtl_job_fields_init(const struct wtl_job_fields *fields, void *base);

/* Is what they contain possible? 0, -EBADMSG. */
int wtl_job_fields_check(const struct wtl_job_fields *fields,
                         const void *base,
                         struct wattle_error *err);

/*
 * Into an object, brief = without what is unknown, and back; unknown fields of the object are skipped, missing ones
 * unknown. 0, -EBADMSG, -ENOMEM.
 */
int wtl_job_fields_store(const struct wtl_job_fields *fields,
                         const void *base,
                         bool brief,
                         json_t *object);
int wtl_job_fields_load(const struct wtl_job_fields *fields,
                        json_t *object,
                        void *base,
                        struct wattle_error *err);

/* Members of a struct by its table. */
static inline const char *wtl_job_text(const struct wtl_job_field *field, const void *base)
{
    return (const char *)base + field->offset;
}

int64_t wtl_job_whole(const struct wtl_job_field *field, const void *base);
double wtl_job_real(const struct wtl_job_field *field, const void *base);
/* Set a number as the database has it; one that is out of range becomes unknown. */
void wtl_job_set_whole(const struct wtl_job_field *field, void *base, int64_t value);
void wtl_job_set_real(const struct wtl_job_field *field, void *base, double value);

#endif
