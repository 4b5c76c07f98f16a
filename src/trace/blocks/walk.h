/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk: reads a file block by block, skipping damaged parts. */
#ifndef WTL_TRACE_WALK_H
#define WTL_TRACE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/blocks/block.h"
#include "trace/blocks/bytes.h"

enum wtl_walk_result {
    WTL_WALK_END = 0, /* no whole block at present; left is the number of bytes */
    WTL_WALK_BLOCK = 1,
    WTL_WALK_DAMAGED = 2 /* bytes from offset up to the next block are not a block */
};

struct wtl_walk_item {
    struct wtl_block_head head; /* of a block */
    uint64_t offset, bytes;     /* of the block with its head, or of the damage */
};

struct wtl_walk {
    int fd;
    uint64_t base, length; /* the trace is this part of the file; 0, UINT64_MAX = the whole file */
    uint64_t offset;       /* where the next item begins */
    uint64_t end;          /* ignore everything from here on; UINT64_MAX = the end of the file */
    uint64_t left;         /* after WTL_WALK_END: bytes from offset on */
    bool left_is_block;    /* they begin with a valid head: a truncated block */
    bool final;            /* the file does not grow: leftover bytes that are not a block are
                              damage */
    size_t window_bytes;   /* size of one read; 0 = 64 kB */
    struct wtl_bytes window, payload;
    uint64_t window_at;
};

void wtl_walk_init(struct wtl_walk *walk, int fd, uint64_t offset, uint64_t end);
/* Initialise a walk over the same part of the same file as `like`. Offsets count from its beginning. */
void wtl_walk_init_like(struct wtl_walk *walk,
                        const struct wtl_walk *like,
                        uint64_t offset,
                        uint64_t end);
void wtl_walk_fini(struct wtl_walk *walk);

/* Read up to n bytes at offset into buf, none at or after walk->end: the number available, or -errno. */
ssize_t wtl_walk_read(const struct wtl_walk *walk, uint64_t offset, uint8_t *buf, size_t n);

/* The present size of the part: up to its length, less while the file is shorter. -errno. */
int wtl_walk_size(const struct wtl_walk *walk, uint64_t *ret_size);

/* The next item: enum wtl_walk_result, or -errno. The payload is not read. */
int wtl_walk_next(struct wtl_walk *walk, struct wtl_walk_item *ret_item);

/* The stored payload of the block, verified; valid until the next call with this walk. Returns 0, -EBADMSG
 * when its CRC is wrong, or -errno. */
int wtl_walk_payload(struct wtl_walk *walk,
                     const struct wtl_walk_item *item,
                     const uint8_t **ret_payload);

/* The block at an offset, with its payload: 0, -EBADMSG without a valid block there, or -errno. */
int wtl_walk_at(struct wtl_walk *walk,
                uint64_t offset,
                struct wtl_walk_item *ret_item,
                const uint8_t **ret_payload);

/* The last n bytes of the file, with the window filled with the data before them: 0, -EBADMSG when the
 * file is shorter, or -errno. */
int wtl_walk_tail(struct wtl_walk *walk, size_t n, uint64_t *ret_size, const uint8_t **ret_bytes);

#endif
