/* SPDX-License-Identifier: BSD-3-Clause */
/* The index from times to offsets: a few hundred entries, however long the trace is. */
#ifndef WTL_TRACE_INDEX_H
#define WTL_TRACE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/block.h"
#include "trace/blocks/bytes.h"

#define WTL_INDEX_MAX 512 /* entries */

struct wtl_index_entry {
    uint64_t offset;            /* of the first of its blocks */
    uint64_t first_ns, last_ns; /* of all rows and marks in them; first > last = none */
};

struct wtl_index {
    struct wtl_index_entry entries[WTL_INDEX_MAX];
    uint32_t count;
    uint32_t run; /* blocks per entry, a power of two; 0 = empty */
    uint64_t blocks;
};

/* Add the next block of the file. */
void wtl_index_add(struct wtl_index *index, uint64_t offset, const struct wtl_block_head *head);

/* If an entry begins at offset and contains nothing within begin_ns .. end_ns: the offset of the next one
 * that may, or end_offset; else offset itself. Used by iterators to skip ahead. */
uint64_t wtl_index_skip(const struct wtl_index *index,
                        uint64_t offset,
                        uint64_t begin_ns,
                        uint64_t end_ns,
                        uint64_t end_offset);

void wtl_index_put(const struct wtl_index *index, struct wtl_bytes *payload);
/* Returns 0 or -EBADMSG. */
int wtl_index_load(struct wtl_cursor cursor, struct wtl_index *ret_index);

#endif
