/* SPDX-License-Identifier: BSD-3-Clause */
/* The payload of a samples block: rows of one group, as columns. */
#ifndef WTL_TRACE_SAMPLES_H
#define WTL_TRACE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/block.h"
#include "trace/blocks/bytes.h"
#include "trace/blocks/column.h"
#include "trace/tables.h"

#define WTL_ROWS_VALUES_MAX 1048576 /* values and times per block */

/* Rows of one group in memory: column c of row r is values[c * stride + r]. */
struct wtl_rows {
    uint32_t group;
    uint64_t ordinal; /* of the block within its group */
    size_t rows, columns, stride;
    const uint64_t *time_ns;
    const uint64_t *values;
    const uint8_t *missing;   /* like values, not 0 = no value; NULL = none missing */
    const uint32_t *channels; /* [columns] */
    unsigned flags;           /* enum wtl_trace_group_flags */
};

/* Memory reused by encoding from block to block. */
struct wtl_column_work {
    struct wtl_column_parts parts;
    struct wtl_bytes numbers, frame; /* scratch */
};

void wtl_column_work_fini(struct wtl_column_work *work);
/* Room for n numbers; NULL on out of memory. */
uint64_t *wtl_column_work_numbers(struct wtl_column_work *work, size_t n);

/* Append the heads, tokens and bits of the parts to out: the end of every columnar payload. */
void wtl_columns_put(struct wtl_column_work *work,
                     struct wtl_packer *packer,
                     struct wtl_bytes *out);

/* Decoding: set cursors on the three parts. tokens: memory for them, at most max of them. Returns 0,
 * -EBADMSG, -ENOMEM. */
int wtl_columns_take(struct wtl_cursor *cursor,
                     struct wtl_unpacker *unpacker,
                     size_t max,
                     struct wtl_bytes *tokens,
                     struct wtl_column_cursors *ret_cursors);

/* Append the payload. Failures are sticky in out. */
void wtl_samples_encode(const struct wtl_rows *rows,
                        struct wtl_column_work *work,
                        struct wtl_packer *packer,
                        struct wtl_bytes *out);

/* Memory reused by decoding. */
struct wtl_rows_memory {
    struct wtl_bytes values, missing, tokens;
};

void wtl_rows_memory_fini(struct wtl_rows_memory *memory);

/*
 * Decode a payload whose block begins at first_ns. wanted NULL = all, else one byte for each channel id below
 * wanted_count: columns not wanted stay undefined. *ret_rows points into the memory. Returns 0, -EBADMSG
 * (malformed, or of a group that is not in the tables), -ENOMEM.
 */
int wtl_samples_decode(const struct wtl_tables *tables,
                       struct wtl_cursor cursor,
                       uint64_t first_ns,
                       const uint8_t *wanted,
                       size_t wanted_count,
                       struct wtl_unpacker *unpacker,
                       struct wtl_rows_memory *memory,
                       struct wtl_rows *ret_rows);

/* Read only its group and ordinal. Returns 0 or -EBADMSG. */
int wtl_samples_peek(struct wtl_cursor cursor, uint32_t *ret_group, uint64_t *ret_ordinal);

#endif
