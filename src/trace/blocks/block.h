/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks: the heads that precede each payload, and the types (docs/format/trace.md). */
#ifndef WTL_TRACE_BLOCK_H
#define WTL_TRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/bytes.h"

#define WTL_TRACE_MAJOR     1
#define WTL_TRACE_MINOR     0
#define WTL_TRACE_SIGNATURE "wattle trace" /* 12 bytes at the start of the file block */
#define WTL_TRAILER_MAGIC   "wtlfoot\n"    /* 8 bytes at the end of a complete file */

extern const uint8_t wtl_block_magic[4]; /* at the start of each, and so of a trace */

enum { WTL_BLOCK_HEAD = 38, WTL_TRAILER = 24, WTL_PAYLOAD_MAX = 16 << 20 };

enum wtl_block_type {
    WTL_BLOCK_FILE = 1,
    WTL_BLOCK_METADATA = 2,
    WTL_BLOCK_CHANNELS = 3,
    WTL_BLOCK_ORIGINS = 4,
    WTL_BLOCK_GROUPS = 5,
    WTL_BLOCK_SAMPLES = 6,
    WTL_BLOCK_REGIONS = 7,
    WTL_BLOCK_EVENTS = 8,
    WTL_BLOCK_GAPS = 9,
    WTL_BLOCK_CLOCKS = 10,
    WTL_BLOCK_WINDOW = 11,
    WTL_BLOCK_STRINGS = 12,
    WTL_BLOCK_PROCESSES = 13,
    WTL_BLOCK_THREADS = 14,
    WTL_BLOCK_PYRAMID = 15,
    WTL_BLOCK_INDEX = 16,
    WTL_BLOCK_FOOTER = 17,
    WTL_BLOCK_TYPES = 18, /* the types known to this version are below, and: */
    WTL_BLOCK_TASKS = 33,
    /* Sections of the footer that are not blocks. */
    WTL_SECTION_TOTALS = 64,
    WTL_SECTION_SUMMARIES = 65,
    WTL_SECTION_REGIONS = 66,
    WTL_SECTION_PYRAMIDS = 67
};

enum wtl_block_flags {
    WTL_BLOCK_ZSTD = 1u << 0,
    WTL_BLOCK_NEEDED = 1u << 7 /* a reader that does not know the block does not show the whole
                                  trace */
};

struct wtl_block_head {
    uint8_t type, flags;
    uint32_t length; /* of the payload in the file */
    uint32_t sequence;
    uint64_t first_ns, last_ns;
    uint32_t payload_crc;
};

/* Whether its type and all its flags are known here. Other blocks are skipped. */
static inline bool wtl_block_is_known(const struct wtl_block_head *head)
{
    return ((head->type > 0 && head->type < WTL_BLOCK_TYPES) || head->type == WTL_BLOCK_TASKS) &&
           !(head->flags & ~(WTL_BLOCK_ZSTD | WTL_BLOCK_NEEDED));
}

/* Whether it has no flag about how its payload is stored. */
static inline bool wtl_block_is_plain(const struct wtl_block_head *head)
{
    return !(head->flags & ~WTL_BLOCK_NEEDED);
}

/* Write the head of payload (head->length bytes) to ret_bytes; sets its payload_crc. */
void wtl_block_seal(struct wtl_block_head *head,
                    const uint8_t *payload,
                    uint8_t ret_bytes[WTL_BLOCK_HEAD]);

/* Returns 0, or -EBADMSG when these bytes are not a head. */
int wtl_block_parse(const uint8_t bytes[WTL_BLOCK_HEAD], struct wtl_block_head *ret_head);

/* Compress data into out: appends u32 length and the frame, if that is smaller. Returns the block flag
 * (WTL_BLOCK_ZSTD), or 0 with the data appended unchanged. */
struct wtl_packer;
int wtl_packer_create(int level, struct wtl_packer **ret_packer);
void wtl_packer_destroy(struct wtl_packer *packer); /* accepts NULL */
uint8_t wtl_packer_payload(struct wtl_packer *packer,
                           const uint8_t *data,
                           size_t n,
                           struct wtl_bytes *out);

/* One zstd frame appended to out if it is smaller than n: its length, else 0. */
size_t wtl_packer_frame(struct wtl_packer *packer,
                        const uint8_t *data,
                        size_t n,
                        struct wtl_bytes *out);

/* Decompress exactly n bytes into ret_data. Returns 0 or -EBADMSG, -ENOMEM. */
struct wtl_unpacker;
int wtl_unpacker_create(struct wtl_unpacker **ret_unpacker);
void wtl_unpacker_destroy(struct wtl_unpacker *unpacker); /* accepts NULL */
int wtl_unpacker_frame(struct wtl_unpacker *unpacker,
                       const uint8_t *frame,
                       size_t length,
                       uint8_t *ret_data,
                       size_t n);

/* The payload of a block, decompressed if necessary into the unpacker's own memory: valid until the next
 * call. Returns 0, -EBADMSG or -ENOMEM. */
int wtl_unpacker_payload(struct wtl_unpacker *unpacker,
                         const struct wtl_block_head *head,
                         const uint8_t *payload,
                         struct wtl_cursor *ret_cursor);

#endif
