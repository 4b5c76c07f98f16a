/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of what each thread did: see activity_pyramid.h. */
#include "analysis/tasks/lanes/activity_pyramid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "trace/blocks/bytes.h"

enum { OTHERS_WAIT = 0, OTHERS_WORK = 1, FIRST_TYPE = 2 }; /* codes of types in bins */
enum { KIND_BINS = 0, KIND_PIECES = 1 };
enum { TYPES_OF_A_BIN = 32 }; /* of more, the last is counted as "others" */
enum { SHARE_MOST = 255 };

struct entry {
    uint32_t code; /* FIRST_TYPE + type, or of others */
    uint64_t ns;
};

struct bin {
    struct entry entries[TYPES_OF_A_BIN];
    size_t count;
};

/* A tile that is being made. */
struct tile {
    struct wtl_activity_pyramid *pyramid;
    struct wtl_tile_bytes *bytes;
    uint64_t begin_ns, end_ns, bin_ns, last_ns; /* last_ns: end of the piece before */
    uint64_t pieces, most;
    uint64_t previous_task;
    bool failed; /* out of memory */
    /* bins */
    struct bin bin;
    size_t at; /* its number */
    uint8_t run[8 * WTL_TILE_PARTS + 8];
    size_t run_size, run_length;
};

/* ---- bytes ---- */

static void append_bytes(struct tile *tile, const void *from, size_t size)
{
    struct wtl_tile_bytes *bytes = tile->bytes;
    if (wtl_reserve(&bytes->data, &bytes->room, bytes->size + size, 1) < 0) {
        tile->failed = true;
        return;
    }
    memcpy(bytes->data + bytes->size, from, size);
    bytes->size += size;
}

static void put_varint(struct tile *tile, uint64_t value)
{
    uint8_t bytes[WTL_VARINT_BYTES];
    append_bytes(tile, bytes, wtl_store_varint(bytes, value));
}

/* ---- totals ---- */

static void count_piece(const struct tile *tile, const struct wtl_piece *piece)
{
    const struct wtl_activity_pyramid *pyramid = tile->pyramid;
    uint64_t from = piece->begin_ns > tile->begin_ns ? piece->begin_ns : tile->begin_ns;
    uint64_t to = piece->end_ns < tile->end_ns ? piece->end_ns : tile->end_ns;
    if (piece->type >= pyramid->type_count)
        return;
    pyramid->time_ns[piece->type] += to - from;
    if ((piece->flags & WTL_PIECE_ENDS) && piece->end_ns <= tile->end_ns)
        pyramid->ended[piece->type] += piece->flags & WTL_PIECE_MANY ? piece->task : 1;
}

static int take_total(void *context, const struct wtl_piece *piece)
{
    struct tile *tile = (struct tile *)context;
    count_piece(tile, piece);
    tile->pieces++;
    return 0;
}

static int count_one(void *context, const struct wtl_piece *piece)
{
    (void)piece;
    ((struct tile *)context)->pieces++;
    return 0;
}

/* The times of the types inside the tile, and the number of its pieces. */
static int count_all(struct tile *tile, struct wattle_error *err)
{
    struct wtl_activity_pyramid *pyramid = tile->pyramid;
    size_t used = 0;
    int rc = 0;
    memset(pyramid->time_ns, 0, (pyramid->type_count + 1) * sizeof *pyramid->time_ns);
    memset(pyramid->ended, 0, (pyramid->type_count + 1) * sizeof *pyramid->ended);
    for (size_t i = 0; rc == 0 && i < wtl_piece_store_lanes(pyramid->pieces); i++)
        rc = wtl_piece_store_walk(pyramid->pieces, i, tile->begin_ns, tile->end_ns,
                                  i < pyramid->counted ? take_total : count_one, tile, err);
    put_varint(tile, tile->pieces <= tile->most ? KIND_PIECES : KIND_BINS);
    for (size_t i = 0; i < pyramid->type_count; i++)
        used += pyramid->time_ns[i] > 0 || pyramid->ended[i] > 0;
    put_varint(tile, used);
    for (size_t i = 0; i < pyramid->type_count; i++) {
        if (pyramid->time_ns[i] == 0 && pyramid->ended[i] == 0)
            continue;
        put_varint(tile, i);
        put_varint(tile, pyramid->time_ns[i]);
        put_varint(tile, pyramid->ended[i]);
    }
    return rc;
}

/* ---- pieces ---- */

static int take_piece(void *context, const struct wtl_piece *piece)
{
    struct tile *tile = (struct tile *)context;
    put_varint(tile, wtl_zigzag(piece->begin_ns - tile->last_ns));
    put_varint(tile, piece->end_ns - piece->begin_ns);
    put_varint(tile, (uint64_t)piece->type << 3 | (piece->flags & 7u));
    put_varint(tile, wtl_zigzag(piece->task - tile->previous_task));
    tile->last_ns = piece->end_ns;
    tile->previous_task = piece->task;
    return 0;
}

static int put_pieces(struct tile *tile, size_t lane, struct wattle_error *err)
{
    struct wtl_piece_store *store = tile->pyramid->pieces;
    tile->pieces = 0;
    int rc = wtl_piece_store_walk(store, lane, tile->begin_ns, tile->end_ns, count_one, tile, err);
    put_varint(tile, tile->pieces);
    tile->last_ns = tile->begin_ns;
    tile->previous_task = 0;
    return rc < 0 ? rc
                  : wtl_piece_store_walk(store, lane, tile->begin_ns, tile->end_ns, take_piece,
                                         tile, err);
}

/* ---- bins ---- */

static uint32_t others(const struct wtl_activity_pyramid *pyramid, uint32_t code)
{
    if (code < FIRST_TYPE)
        return code;
    return code - FIRST_TYPE < pyramid->type_count && pyramid->works[code - FIRST_TYPE]
               ? OTHERS_WORK
               : OTHERS_WAIT;
}

static bool add_to(struct bin *bin, uint32_t code, uint64_t ns)
{
    for (size_t i = 0; i < bin->count; i++)
        if (bin->entries[i].code == code) {
            bin->entries[i].ns += ns;
            return true;
        }
    return false;
}

/* Two entries are kept for others. */
static void add_time(struct tile *tile, uint32_t code, uint64_t ns)
{
    struct bin *bin = &tile->bin;
    if (add_to(bin, code, ns))
        return;
    if (bin->count >= TYPES_OF_A_BIN - 2) {
        code = others(tile->pyramid, code);
        if (add_to(bin, code, ns))
            return;
    }
    bin->entries[bin->count++] = (struct entry){code, ns};
}

static void end_run(struct tile *tile)
{
    if (tile->run_length == 0)
        return;
    put_varint(tile, tile->run_length);
    append_bytes(tile, tile->run, tile->run_size);
    tile->run_length = 0;
}

static uint8_t share_of(uint64_t ns, uint64_t bin_ns)
{
    uint64_t share = (uint64_t)((double)ns / (double)bin_ns * SHARE_MOST + 0.5);
    return (uint8_t)(share < 1 ? 1 : share < SHARE_MOST ? share : SHARE_MOST);
}

/* The largest entries first, what remains as the two kinds of others; returns the number of entries. */
static size_t largest(struct tile *tile)
{
    struct bin *bin = &tile->bin;
    size_t n = bin->count < WTL_TILE_PARTS ? bin->count : WTL_TILE_PARTS;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < bin->count; k++)
            if (bin->entries[k].ns > bin->entries[i].ns) {
                struct entry other = bin->entries[k];
                bin->entries[k] = bin->entries[i];
                bin->entries[i] = other;
            }
    uint64_t rest[FIRST_TYPE] = {0};
    for (size_t k = n; k < bin->count; k++)
        rest[others(tile->pyramid, bin->entries[k].code)] += bin->entries[k].ns;
    bin->count = n;
    for (uint32_t code = 0; code < FIRST_TYPE; code++)
        if (rest[code] > 0 && !add_to(bin, code, rest[code]))
            bin->entries[bin->count++] = (struct entry){code, rest[code]};
    return bin->count;
}

/* The bin is complete: it lengthens the run of equal ones, or begins another. */
static void end_bin(struct tile *tile, size_t times)
{
    uint8_t bytes[sizeof tile->run];
    size_t n = largest(tile), size = wtl_store_varint(bytes, n);
    for (size_t i = 0; i < n; i++) {
        size += wtl_store_varint(bytes + size, tile->bin.entries[i].code);
        bytes[size++] = share_of(tile->bin.entries[i].ns, tile->bin_ns);
    }
    if (tile->run_length > 0 && (size != tile->run_size || memcmp(bytes, tile->run, size) != 0))
        end_run(tile);
    if (tile->run_length == 0) {
        memcpy(tile->run, bytes, size);
        tile->run_size = size;
    }
    tile->run_length += times;
    tile->at += times;
    tile->bin.count = 0;
}

/* Bins up to number `to` are complete; all but the first of them are empty. */
static void end_bins(struct tile *tile, size_t to)
{
    if (tile->at < to)
        end_bin(tile, 1);
    if (tile->at < to)
        end_bin(tile, to - tile->at);
}

static int take_into_bins(void *context, const struct wtl_piece *piece)
{
    struct tile *tile = (struct tile *)context;
    uint64_t from = piece->begin_ns > tile->begin_ns ? piece->begin_ns - tile->begin_ns : 0;
    uint64_t to = (piece->end_ns < tile->end_ns ? piece->end_ns : tile->end_ns) - tile->begin_ns;
    if (to == from)
        return 0;
    size_t first = (size_t)(from / tile->bin_ns), last = (size_t)((to - 1) / tile->bin_ns);
    end_bins(tile, first);
    uint64_t border = (first + 1) * tile->bin_ns;
    add_time(tile, piece->type + FIRST_TYPE, (to < border ? to : border) - from);
    if (last == first)
        return 0;
    end_bin(tile, 1);
    if (last > first + 1) { /* whole bins */
        add_time(tile, piece->type + FIRST_TYPE, tile->bin_ns);
        end_bin(tile, last - first - 1);
    }
    add_time(tile, piece->type + FIRST_TYPE, to - last * tile->bin_ns);
    return 0;
}

static int put_bins(struct tile *tile, size_t lane, struct wattle_error *err)
{
    tile->at = tile->bin.count = tile->run_length = 0;
    int rc = wtl_piece_store_walk(tile->pyramid->pieces, lane, tile->begin_ns, tile->end_ns,
                                  take_into_bins, tile, err);
    end_bins(tile, WTL_TILE_BINS);
    end_run(tile);
    return rc;
}

/* ---- tiles ---- */

uint64_t wtl_activity_bin_ns(const struct wtl_activity_pyramid *pyramid, unsigned level)
{
    return level < pyramid->levels ? pyramid->bin_ns >> (2 * level) : 0;
}

/* Pieces that a leaf may have: more if there are many lanes, each of which may have one. */
static uint64_t most_of(const struct wtl_activity_pyramid *pyramid, uint64_t bin_ns)
{
    uint64_t lanes = wtl_piece_store_lanes(pyramid->pieces);
    uint64_t most = 4 * lanes > WTL_TILE_PIECES ? 4 * lanes : WTL_TILE_PIECES;
    return bin_ns > 1 ? most : UINT64_MAX;
}

int wtl_activity_pyramid_init(struct wtl_activity_pyramid *pyramid,
                              struct wtl_piece_store *pieces,
                              size_t type_count,
                              size_t counted)
{
    uint64_t begin_ns = 0, end_ns = 0;
    (void)wtl_piece_store_span(pieces, &begin_ns, &end_ns);
    *pyramid = (struct wtl_activity_pyramid){.pieces = pieces,
                                             .type_count = type_count,
                                             .counted = counted,
                                             .begin_ns = begin_ns,
                                             .end_ns = end_ns,
                                             .bin_ns = 1,
                                             .levels = 1};
    while (pyramid->bin_ns * WTL_TILE_BINS < end_ns - begin_ns &&
           pyramid->levels < WTL_TILE_LEVELS) {
        pyramid->bin_ns *= WTL_TILE_PARTS;
        pyramid->levels++;
    }
    pyramid->works = calloc(type_count + 1, sizeof *pyramid->works);
    pyramid->time_ns = calloc(type_count + 1, sizeof *pyramid->time_ns);
    pyramid->ended = calloc(type_count + 1, sizeof *pyramid->ended);
    if (pyramid->works && pyramid->time_ns && pyramid->ended)
        return 0;
    wtl_activity_pyramid_fini(pyramid);
    return -ENOMEM;
}

void wtl_activity_pyramid_fini(struct wtl_activity_pyramid *pyramid)
{
    free(pyramid->works);
    free(pyramid->time_ns);
    free(pyramid->ended);
    *pyramid = (struct wtl_activity_pyramid){0};
}

int wtl_activity_tile(struct wtl_activity_pyramid *pyramid,
                      unsigned level,
                      uint64_t index,
                      struct wtl_tile_bytes *bytes,
                      bool *ret_leaf,
                      struct wattle_error *err)
{
    uint64_t bin_ns = wtl_activity_bin_ns(pyramid, level);
    if (bin_ns == 0 || index >> (2 * level) != 0)
        return -EINVAL;
    struct tile tile = {.pyramid = pyramid,
                        .bytes = bytes,
                        .begin_ns = pyramid->begin_ns + index * bin_ns * WTL_TILE_BINS,
                        .bin_ns = bin_ns,
                        .most = most_of(pyramid, bin_ns)};
    tile.end_ns = tile.begin_ns + bin_ns * WTL_TILE_BINS;
    bytes->size = 0;
    int rc = count_all(&tile, err);
    bool leaf = tile.pieces <= tile.most;
    for (size_t i = 0; rc == 0 && i < wtl_piece_store_lanes(pyramid->pieces); i++)
        rc = leaf ? put_pieces(&tile, i, err) : put_bins(&tile, i, err);
    *ret_leaf = leaf;
    return tile.failed ? wtl_no_memory_for(err, "a part of the picture") : rc;
}
