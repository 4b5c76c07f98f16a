/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk: from block to block through a file, over what is damaged in it. */
#ifndef WTL_TRACE_WALK_H
#define WTL_TRACE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/blocks/block.h"
#include "trace/blocks/bytes.h"

enum wtl_walk_result {
    WTL_WALK_END = 0, /* nothing whole is there, now; left says how many bytes are */
    WTL_WALK_BLOCK = 1,
    WTL_WALK_DAMAGED = 2 /* bytes from offset up to the next block are none */
};

struct wtl_walk_item {
    struct wtl_block_head head; /* of a block */
    uint64_t offset, bytes;     /* of the block with its head, or of the damage */
};

struct wtl_walk {
    int fd;
    uint64_t base, length; /* the trace is this part of the file; 0, UINT64_MAX = all of it */
    uint64_t offset;       /* where the next item begins */
    uint64_t end;          /* do not look at or behind it; UINT64_MAX = the end of the file */
    uint64_t left;         /* after WTL_WALK_END: bytes from offset on */
    bool left_is_block;    /* they begin with a good head: a block cut off */
    bool final;            /* the file does not grow: what is left and no block is damage */
    size_t window_bytes;   /* read at once; 0 = 64 kB */
    struct wtl_bytes window, payload;
    uint64_t window_at;
};

void wtl_walk_init(struct wtl_walk *walk, int fd, uint64_t offset, uint64_t end);
/* Another one over the same part of the same file as `like`. Offsets count from its begin. */
void wtl_walk_init_like(struct wtl_walk *walk,
                        const struct wtl_walk *like,
                        uint64_t offset,
                        uint64_t end);
void wtl_walk_fini(struct wtl_walk *walk);

/* Up to n bytes at offset into buf, none at or behind walk->end: the number that is there, or -errno. */
ssize_t wtl_walk_read(const struct wtl_walk *walk, uint64_t offset, uint8_t *buf, size_t n);

/* The size of the part, now: up to its length, less while the file is shorter. -errno. */
int wtl_walk_size(const struct wtl_walk *walk, uint64_t *ret_size);

/* The next item: enum wtl_walk_result, or -errno. The payload is not looked at. */
int wtl_walk_next(struct wtl_walk *walk, struct wtl_walk_item *ret_item);

/* The stored payload of the block, checked; valid until the walk's next call. Returns 0, -EBADMSG
 * when its CRC fails, or -errno. */
int wtl_walk_payload(struct wtl_walk *walk,
                     const struct wtl_walk_item *item,
                     const uint8_t **ret_payload);

/* A block at an offset, with its payload: 0, -EBADMSG when there is none, or -errno. */
int wtl_walk_at(struct wtl_walk *walk,
                uint64_t offset,
                struct wtl_walk_item *ret_item,
                const uint8_t **ret_payload);

/* The last n bytes of the file, and the window filled with what stands before them: 0, -EBADMSG when
 * the file is shorter, or -errno. */
int wtl_walk_tail(struct wtl_walk *walk, size_t n, uint64_t *ret_size, const uint8_t **ret_bytes);

#endif
