/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a trace: every part gets a valid header, with the magic, a length that fits and both checksums, so that
 * payloads reach the code that reads them. */
#ifndef WATTLE_TESTS_MENDED_TRACE_H
#define WATTLE_TESTS_MENDED_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/blocks/block.h"

static inline void mend_trace(uint8_t *data, size_t size)
{
    size_t at = 0, last = 0, index = 0;
    while (size - at >= WTL_BLOCK_HEAD) {
        size_t left = size - at - WTL_BLOCK_HEAD;
        uint32_t length = wtl_load_u32(data + at + 6);
        struct wtl_block_head head = {.type = data[at + 4],
                                      .flags = data[at + 5],
                                      .length = length <= left ? length : (uint32_t)left,
                                      .sequence = wtl_load_u32(data + at + 10),
                                      .first_ns = wtl_load_u64(data + at + 14),
                                      .last_ns = wtl_load_u64(data + at + 22)};
        wtl_block_seal(&head, data + at + WTL_BLOCK_HEAD, data + at);
        if (head.type == WTL_BLOCK_INDEX)
            index = at;
        last = at;
        at += WTL_BLOCK_HEAD + head.length;
    }
    if (at != size || at - last < WTL_BLOCK_HEAD + WTL_TRAILER ||
        data[last + 4] != WTL_BLOCK_FOOTER)
        return;
    wtl_store_u64(data + size - 24, last);
    wtl_store_u64(data + size - 16, index);
    memcpy(data + size - 8, WTL_TRAILER_MAGIC, 8);
    struct wtl_block_head head;
    if (wtl_block_parse(data + last, &head) == 0)
        wtl_block_seal(&head, data + last + WTL_BLOCK_HEAD, data + last);
}

#endif
