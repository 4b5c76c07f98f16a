/* SPDX-License-Identifier: BSD-3-Clause */
/* Block heads: see block.h. */
#include "trace/blocks/block.h"

#include <errno.h>

#include "trace/blocks/crc32c.h"

const uint8_t wtl_block_magic[4] = {0xf5, 'W', 'T', 'L'};

enum {
    AT_TYPE = 4,
    AT_FLAGS = 5,
    AT_LENGTH = 6,
    AT_SEQUENCE = 10,
    AT_FIRST = 14,
    AT_LAST = 22,
    AT_PAYLOAD_CRC = 30,
    AT_HEAD_CRC = 34
};

void wtl_block_seal(struct wtl_block_head *head,
                    const uint8_t *payload,
                    uint8_t ret_bytes[WTL_BLOCK_HEAD])
{
    head->payload_crc = wtl_crc32c(payload, head->length);
    memcpy(ret_bytes, wtl_block_magic, sizeof wtl_block_magic);
    ret_bytes[AT_TYPE] = head->type;
    ret_bytes[AT_FLAGS] = head->flags;
    wtl_store_u32(ret_bytes + AT_LENGTH, head->length);
    wtl_store_u32(ret_bytes + AT_SEQUENCE, head->sequence);
    wtl_store_u64(ret_bytes + AT_FIRST, head->first_ns);
    wtl_store_u64(ret_bytes + AT_LAST, head->last_ns);
    wtl_store_u32(ret_bytes + AT_PAYLOAD_CRC, head->payload_crc);
    wtl_store_u32(ret_bytes + AT_HEAD_CRC, wtl_crc32c(ret_bytes, AT_HEAD_CRC));
}

int wtl_block_parse(const uint8_t bytes[WTL_BLOCK_HEAD], struct wtl_block_head *ret_head)
{
    if (memcmp(bytes, wtl_block_magic, sizeof wtl_block_magic) != 0 ||
        wtl_load_u32(bytes + AT_HEAD_CRC) != wtl_crc32c(bytes, AT_HEAD_CRC))
        return -EBADMSG;
    struct wtl_block_head head = {.type = bytes[AT_TYPE],
                                  .flags = bytes[AT_FLAGS],
                                  .length = wtl_load_u32(bytes + AT_LENGTH),
                                  .sequence = wtl_load_u32(bytes + AT_SEQUENCE),
                                  .first_ns = wtl_load_u64(bytes + AT_FIRST),
                                  .last_ns = wtl_load_u64(bytes + AT_LAST),
                                  .payload_crc = wtl_load_u32(bytes + AT_PAYLOAD_CRC)};
    if (head.length > WTL_PAYLOAD_MAX)
        return -EBADMSG;
    *ret_head = head;
    return 0;
}
