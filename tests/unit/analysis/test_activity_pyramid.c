/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of known pieces: their sums are those of the pieces, however they are divided, in memory and in the file. */
#define _GNU_SOURCE
#include "analysis/tasks/lanes/activity_pyramid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { LANES = 3, PIECES = 5000, TYPES = 40 };

static struct wtl_piece pieces[LANES][PIECES];
static struct wtl_tile_bytes bytes;

static uint64_t read_varint(size_t *at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    while (*at < bytes.size && shift < 64) {
        uint8_t byte = bytes.data[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (byte < 128)
            break;
    }
    return value;
}

static struct wtl_piece_store *make_store(void)
{
    struct wtl_piece_store *store = wtl_piece_store_create();
    struct wattle_error err = {""};
    uint64_t state = 7;
    int rc = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t t = 1000;
        for (size_t i = 0; i < PIECES; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            struct wtl_piece *piece = &pieces[lane][i];
            uint64_t length = state >> 33 & 0xffff, pause = (state >> 50 & 7) * 1000;
            *piece = (struct wtl_piece){.begin_ns = t + pause,
                                        .end_ns = t + pause + length,
                                        .type = (uint32_t)(state >> 40) % TYPES,
                                        .task = i + 1,
                                        .flags = WTL_PIECE_ENDS};
            t = piece->end_ns;
            rc |= wtl_piece_store_add(store, lane, piece, &err);
        }
    }
    is_int(rc, 0, "%d pieces%s", LANES * PIECES, err.text);
    return store;
}

/* Time and number of a type inside, by the definition. */
static void sum_of(uint32_t type, uint64_t begin, uint64_t end, uint64_t *ret_ns, uint64_t *ret_n)
{
    *ret_ns = *ret_n = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t i = 0; i < PIECES; i++) {
            const struct wtl_piece *p = &pieces[lane][i];
            uint64_t from = p->begin_ns > begin ? p->begin_ns : begin;
            uint64_t to = p->end_ns < end ? p->end_ns : end;
            bool empty = p->begin_ns == p->end_ns;
            if (p->type != type)
                continue;
            *ret_ns += to > from ? to - from : 0;
            *ret_n += empty ? p->begin_ns >= begin && p->begin_ns < end
                            : p->end_ns > begin && p->end_ns <= end;
        }
}

/* The sums at the begin of the tile; false: one is wrong. */
static bool has_sums(uint64_t begin, uint64_t end)
{
    size_t at = 0, listed = 0;
    (void)read_varint(&at);
    uint64_t count = read_varint(&at), expected = 0;
    for (uint32_t type = 0; type < TYPES; type++) {
        uint64_t ns, n;
        sum_of(type, begin, end, &ns, &n);
        expected += ns > 0 || n > 0;
        if (ns == 0 && n == 0)
            continue;
        listed += read_varint(&at) == type && read_varint(&at) == ns && read_varint(&at) == n;
    }
    return count == expected && listed == expected;
}

/* Whether runs of bins follow for each lane that are 1024 in all, up to the last byte. */
static bool has_bins(void)
{
    size_t at = 0;
    if (read_varint(&at) != 0)
        return false;
    for (uint64_t n = read_varint(&at); n > 0; n--)
        for (int i = 0; i < 3; i++)
            (void)read_varint(&at);
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t bins = 0;
        while (bins < WTL_TILE_BINS && at < bytes.size) {
            bins += read_varint(&at);
            for (uint64_t n = read_varint(&at); n > 0; n--) {
                (void)read_varint(&at);
                at++;
            }
        }
        if (bins != WTL_TILE_BINS)
            return false;
    }
    return at == bytes.size;
}

static void test_tiles(void)
{
    struct wtl_piece_store *store = make_store();
    struct wtl_activity_pyramid pyramid;
    bool leaf = false;
    int wrong = 0, leaves = 0, others = 0, rc = 0;
    is_int(wtl_activity_pyramid_init(&pyramid, store, TYPES, LANES), 0, "a pyramid");
    memset(pyramid.works, 1, TYPES / 2);
    for (unsigned level = 0; level < 4; level++)
        for (uint64_t index = 0; index < UINT64_C(1) << (2 * level); index++) {
            uint64_t width = wtl_activity_bin_ns(&pyramid, level) * WTL_TILE_BINS;
            uint64_t begin = pyramid.begin_ns + index * width;
            rc |= wtl_activity_tile(&pyramid, level, index, &bytes, &leaf, NULL);
            wrong += !has_sums(begin, begin + width) || (!leaf && !has_bins());
            leaves += leaf;
            others += !leaf;
        }
    is_int(rc, 0, "tiles");
    is_int(wrong, 0, "every tile has the sums of its pieces");
    ok(leaves > 0 && others > 0, "%d leaves, %d others", leaves, others);
    is_int(wtl_activity_tile(&pyramid, 1, 4, &bytes, &leaf, NULL), -EINVAL, "no such index");
    is_int(wtl_activity_tile(&pyramid, 30, 0, &bytes, &leaf, NULL), -EINVAL, "no such level");
    wtl_activity_pyramid_fini(&pyramid);
    wtl_piece_store_destroy(store);
}

static void test_empty(void)
{
    struct wtl_piece_store *store = wtl_piece_store_create();
    struct wtl_activity_pyramid pyramid;
    uint64_t begin, end;
    bool leaf = false;
    is_int(wtl_piece_store_span(store, &begin, &end), -ENOENT, "no pieces, no span");
    is_int(wtl_activity_pyramid_init(&pyramid, store, 0, 0), 0, "a pyramid of nothing");
    is_int(wtl_activity_tile(&pyramid, 0, 0, &bytes, &leaf, NULL), 0, "has one tile");
    ok(leaf && bytes.size == 2, "which is an empty leaf");
    wtl_activity_pyramid_fini(&pyramid);
    wtl_piece_store_destroy(store);
}

/* Pieces that overlap the one before are clipped; of one inside it nothing remains. */
static void test_overlap(void)
{
    static const struct wtl_piece some[] = {{.begin_ns = 10, .end_ns = 20},
                                            {.begin_ns = 15, .end_ns = 30, .type = 1},
                                            {.begin_ns = 16, .end_ns = 18, .type = 2},
                                            {.begin_ns = 16, .end_ns = 17, .flags = 1, .type = 3}};
    struct wtl_piece_store *store = wtl_piece_store_create();
    struct wtl_activity_pyramid pyramid;
    bool leaf;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        (void)wtl_piece_store_add(store, 0, &some[i], NULL);
    is_int((long)wtl_piece_store_count(store), 3, "three remain");
    (void)wtl_activity_pyramid_init(&pyramid, store, 4, 1);
    (void)wtl_activity_tile(&pyramid, 0, 0, &bytes, &leaf, NULL);
    size_t at = 2;
    is_int((long)(read_varint(&at), read_varint(&at)), 10, "10 ns of the first");
    (void)read_varint(&at);
    is_int((long)(read_varint(&at), read_varint(&at)), 10, "10 ns of the second");
    (void)read_varint(&at);
    is_int((long)(read_varint(&at), read_varint(&at)), 0, "none of the last");
    is_int((long)read_varint(&at), 1, "but it ended");
    wtl_activity_pyramid_fini(&pyramid);
    wtl_piece_store_destroy(store);
}

static void test_no_room(void)
{
    struct wtl_piece_store *store = wtl_piece_store_create();
    struct wattle_error err = {""};
    int rc = 0;
    setenv("TMPDIR", "/nonexistent/folder", 1);
    for (uint64_t i = 0; rc == 0 && i < PIECES; i++) {
        struct wtl_piece piece = {.begin_ns = i, .end_ns = i + 1};
        rc = wtl_piece_store_add(store, 0, &piece, &err);
    }
    unsetenv("TMPDIR");
    is_int(rc, -ENOENT, "no folder for the file");
    ok(strstr(err.text, "TMPDIR") != NULL, "says what to do: %s", err.text);
    wtl_piece_store_destroy(store);
}

int main(void)
{
    test_tiles();
    test_empty();
    test_overlap();
    test_no_room();
    free(bytes.data);
    return done_testing();
}
