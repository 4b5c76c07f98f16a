/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of records: the contents of blocks that are lists (metadata, channels, gaps, ...), as a table. A
 * record is u32 length, for numbered types a u32 id, then its fields in order (docs/format/trace.md). Fields
 * added by a newer version are at the end and are skipped.
 *
 * To add a type, define a struct, its fields here, and how it is stored (tables.c).
 */
#ifndef WTL_TRACE_RECORD_TYPE_H
#define WTL_TRACE_RECORD_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/bytes.h"

enum wtl_field_kind {
    WTL_FIELD_U8,   /* an unsigned or enum of 4 bytes in memory, one byte in the file */
    WTL_FIELD_U32,  /* 4 bytes, also for int and enums */
    WTL_FIELD_U64,  /* uint64_t */
    WTL_FIELD_F64,  /* double */
    WTL_FIELD_TEXT, /* const char *, UTF-8 */
    WTL_FIELD_NAME, /* char[size], with its NUL */
    WTL_FIELD_IDS   /* const uint32_t *, followed in memory by a size_t count; u32 count in the
                       file */
};

struct wtl_field {
    const char *name; /* "begin_ns" */
    enum wtl_field_kind kind;
    size_t offset, size; /* of the struct in memory */
};

struct wtl_record_type {
    const char *name; /* "gaps" */
    bool numbered;    /* starts with an id */
    const struct wtl_field *fields;
    size_t field_count;
};

/* NULL = blocks of this type contain no records. */
const struct wtl_record_type *wtl_record_type(unsigned type);

/* Bit t: blocks of type t contain records. */
uint64_t wtl_record_types(void);

/* Whether it has strings or ids, which need additional memory. */
bool wtl_record_type_has_texts(const struct wtl_record_type *type);

/* Append a record; value is the struct of its type (listed in trace/tables.h), id is ignored unless it is
 * numbered. */
void wtl_record_put(struct wtl_bytes *bytes, unsigned type, uint32_t id, const void *value);

/*
 * Read the fields of one record. Strings and ids are stored at *room, which is advanced and must have as many
 * bytes left as the payload that contains the record. 0, or -EBADMSG.
 */
int wtl_record_get(const struct wtl_record_type *type,
                   struct wtl_cursor *record,
                   char **room,
                   uint32_t *ret_id,
                   void *ret_value);

/* The next record of a cursor: 1, 0 at the end, -EBADMSG. */
int wtl_record_next(struct wtl_cursor *cursor, struct wtl_cursor *ret_record);

#endif
