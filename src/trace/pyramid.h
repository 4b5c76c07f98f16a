/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pyramid: power of a group's channels at decreasing resolution, computed as rows are added, in memory
 * proportional to the logarithm of their number. docs/format/trace.md describes the contents of a bucket.
 */
#ifndef WTL_TRACE_PYRAMID_H
#define WTL_TRACE_PYRAMID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/bytes.h"
#include "trace/samples.h"
#include "trace/tables.h"

enum {
    WTL_PYRAMID_LEVELS = 12,
    WTL_PYRAMID_STRETCHES = 64, /* minimum stretches in a bucket of level 0 */
    WTL_PYRAMID_ROWS = 1024,    /* and minimum rows */
    WTL_PYRAMID_FACTOR = 8      /* buckets of one level per bucket of the next */
};

/* One level of one group, as the footer lists it. */
struct wtl_pyramid_level {
    uint32_t group, level;
    uint64_t stretch_ns;
    uint64_t offset; /* of its last block; 0 = none yet */
    uint64_t rows;
};

/* A full block of a level: its payload except the offset of the previous block, which the receiver fills
 * in at WTL_PYRAMID_LINK_AT and stores in level->offset. */
struct wtl_pyramid_block {
    struct wtl_pyramid_level *level;
    uint64_t first_ns, last_ns;
    struct wtl_bytes *payload;
};

enum { WTL_PYRAMID_LINK_AT = 16 };

typedef int wtl_pyramid_block_fn(void *context, struct wtl_pyramid_block *block);

struct wtl_pyramid;

/* For a group of the tables. Returns 0, -ENOMEM, or -ENOTSUP when the group has no pyramid: no channel of
 * energy or power, or edges. emit is called for each full block. */
int wtl_pyramid_create(const struct wtl_tables *tables,
                       uint32_t group,
                       wtl_pyramid_block_fn *emit,
                       void *context,
                       struct wtl_pyramid **ret_pyramid);
void wtl_pyramid_destroy(struct wtl_pyramid *pyramid); /* accepts NULL */

/* Add rows of the group, in file order. Returns 0 or the result of emit. */
int wtl_pyramid_rows(struct wtl_pyramid *pyramid, const struct wtl_rows *rows);

/* Add a gap of a channel of the group (others are ignored), before the row that ends it: stretches that
 * overlap it have no power for that channel. */
void wtl_pyramid_gap(struct wtl_pyramid *pyramid, const struct wtl_gap *gap);

/* Close and emit everything that was begun. */
int wtl_pyramid_finish(struct wtl_pyramid *pyramid);

/* Level l, or NULL when it has no block. */
const struct wtl_pyramid_level *wtl_pyramid_level(const struct wtl_pyramid *pyramid, unsigned l);

/* Whether the channel belongs in a pyramid. */
bool wtl_pyramid_takes(const struct wattle_channel *channel);

/* The stretch for a row with these channels of the tables. */
uint64_t wtl_pyramid_stretch_ns(const struct wtl_tables *tables,
                                const uint32_t *channels,
                                size_t count);

#endif
