/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pyramid: power of a group's channels at falling resolution, made as the rows pass, in memory
 * that grows with the logarithm of their number. docs/format/trace.md says what a bucket holds.
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
    WTL_PYRAMID_STRETCHES = 64, /* at least, in a bucket of level 0 */
    WTL_PYRAMID_ROWS = 1024,    /* and at least so many rows */
    WTL_PYRAMID_FACTOR = 8      /* buckets of one level in one of the next */
};

/* One level of one group, as the footer lists it. */
struct wtl_pyramid_level {
    uint32_t group, level;
    uint64_t stretch_ns;
    uint64_t offset; /* of its last block; 0 = none yet */
    uint64_t rows;
};

/* A full block of a level: its payload but for the offset of the block before, which whoever
 * places it fills in at WTL_PYRAMID_LINK_AT and keeps in level->offset. */
struct wtl_pyramid_block {
    struct wtl_pyramid_level *level;
    uint64_t first_ns, last_ns;
    struct wtl_bytes *payload;
};

enum { WTL_PYRAMID_LINK_AT = 16 };

typedef int wtl_pyramid_block_fn(void *context, struct wtl_pyramid_block *block);

struct wtl_pyramid;

/* For a group of the tables. Returns 0, -ENOMEM, or -ENOTSUP when the group has none: no channel of
 * energy or power, or edges. emit is called for each full block. */
int wtl_pyramid_create(const struct wtl_tables *tables,
                       uint32_t group,
                       wtl_pyramid_block_fn *emit,
                       void *context,
                       struct wtl_pyramid **ret_pyramid);
void wtl_pyramid_destroy(struct wtl_pyramid *pyramid); /* accepts NULL */

/* Rows of the group, in the order of the file. Returns 0 or what emit returned. */
int wtl_pyramid_rows(struct wtl_pyramid *pyramid, const struct wtl_rows *rows);

/* A gap of a channel of the group (others are ignored), before the row that ends it: stretches that
 * touch it have no power there. */
void wtl_pyramid_gap(struct wtl_pyramid *pyramid, const struct wtl_gap *gap);

/* Close and emit all that is begun. */
int wtl_pyramid_finish(struct wtl_pyramid *pyramid);

/* Level l, or NULL when it has no block. */
const struct wtl_pyramid_level *wtl_pyramid_level(const struct wtl_pyramid *pyramid, unsigned l);

/* Does the channel belong into a pyramid? */
bool wtl_pyramid_takes(const struct wattle_channel *channel);

/* The stretch for a row of channels of the tables. */
uint64_t wtl_pyramid_stretch_ns(const struct wtl_tables *tables,
                                const uint32_t *channels,
                                size_t count);

#endif
