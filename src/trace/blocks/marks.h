/* SPDX-License-Identifier: BSD-3-Clause */
/* The payloads of regions, events and tasks blocks: marks as columns. */
#ifndef WTL_TRACE_MARKS_H
#define WTL_TRACE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/block.h"
#include "trace/blocks/mark.h"
#include "trace/samples.h"

#define WTL_MARKS_MAX 65536 /* marks per block */

/* Sort marks by time; the order of equal times is kept. scratch: room for n marks. */
void wtl_marks_sort(struct wtl_mark *marks, size_t n, struct wtl_mark *scratch);

/* The type of block that holds marks of a kind; 0 = none does. */
unsigned wtl_marks_block_of(uint64_t kind);

/* Append the payload of n >= 1 sorted marks, all for the same type of block. Failures are sticky in
 * out. */
void wtl_marks_encode(unsigned type,
                      const struct wtl_mark *marks,
                      size_t n,
                      struct wtl_column_work *work,
                      struct wtl_packer *packer,
                      struct wtl_bytes *out);

/* Decode the marks of a payload, malloc'ed, freed by the caller. Returns their number, -EBADMSG or -ENOMEM. */
int wtl_marks_decode(unsigned type,
                     struct wtl_cursor cursor,
                     uint64_t first_ns,
                     struct wtl_unpacker *unpacker,
                     struct wtl_mark **ret_marks);

#endif
