/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Activity pyramid: what each thread did, for a picture that stays fluid however many tasks there are and
 * however far it is zoomed. Time is divided into tiles. The tile of level 0 covers everything, each tile has
 * four of the next level inside it, and a tile has 1024 bins, each a power of four of nanoseconds long. A tile in
 * which few pieces lie holds the pieces themselves and has no tiles below it (a leaf); the others hold for each
 * lane and bin the share of each type. Every tile also has, exactly, the time of each type inside it, and how
 * many ended there, so that any stretch of the time is a sum over few tiles.
 *
 * A tile is made when it is asked for, from the pieces (piece_store.h): nothing is stored twice, and a tile
 * of ten million pieces takes a fraction of a second.
 */
#ifndef WTL_ANALYSIS_ACTIVITY_PYRAMID_H
#define WTL_ANALYSIS_ACTIVITY_PYRAMID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/tasks/lanes/piece_store.h"

enum {
    WTL_TILE_BINS = 1024,
    WTL_TILE_PARTS = 4,     /* tiles below a tile; also: types of a bin, the others are one */
    WTL_TILE_PIECES = 4096, /* at most so many in a leaf */
    WTL_TILE_LEVELS = 27
};

struct wtl_activity_pyramid {
    struct wtl_piece_store *pieces;
    size_t type_count, counted; /* lanes from `counted` on are left out of the times of types */
    uint64_t begin_ns, end_ns;  /* begin of the tile of level 0; end of the last piece */
    uint64_t bin_ns;            /* of level 0 */
    unsigned levels;            /* the last one has bins of 1 ns and only leaves */
    uint8_t *works; /* [type_count], zeroed; 1 = "others that work" in a bin with many types */
    uint64_t *time_ns, *ended; /* [type_count], for the tile that is being made */
};

/* The pieces stay the caller's and must not change; their types are below type_count. Lanes from `counted` on
 * show the same time another way (cores). Without pieces there is one empty tile. 0 or -ENOMEM. */
int wtl_activity_pyramid_init(struct wtl_activity_pyramid *pyramid,
                              struct wtl_piece_store *pieces,
                              size_t type_count,
                              size_t counted);
void wtl_activity_pyramid_fini(struct wtl_activity_pyramid *pyramid);

/* Bytes that grow. Zeroed at first; free(data) at the end. */
struct wtl_tile_bytes {
    uint8_t *data;
    size_t size, room;
};

/*
 * The tile `index` of a level, in the form of docs/format/report.md ("tiles"), in place of what the bytes were.
 * ret_leaf: it holds the pieces themselves. 0; -EINVAL: no such tile; -ENOMEM; the error of the store.
 */
int wtl_activity_tile(struct wtl_activity_pyramid *pyramid,
                      unsigned level,
                      uint64_t index,
                      struct wtl_tile_bytes *bytes,
                      bool *ret_leaf,
                      struct wattle_error *err);

/* Bins of a level in nanoseconds. */
uint64_t wtl_activity_bin_ns(const struct wtl_activity_pyramid *pyramid, unsigned level);

#endif
