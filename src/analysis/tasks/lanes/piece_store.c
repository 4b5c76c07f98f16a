/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread did, in a temporary file: see piece_store.h. */
#define _GNU_SOURCE
#include "analysis/tasks/lanes/piece_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"

enum { BLOCK = 1024 }; /* pieces */

#define LENGTH_MOST ((UINT64_C(1) << 48) - 1)
#define TASK_MOST   ((UINT64_C(1) << 60) - 1)

struct packed {
    uint64_t begin_ns;
    uint64_t length_ns : 48, type : 16;
    uint64_t task : 60, flags : 4;
};

/* A block of a lane in the file; every one is full. */
struct block {
    uint64_t offset, begin_ns, end_ns;
};

struct lane {
    struct packed *last; /* [BLOCK]; NULL = the lane has no piece */
    size_t count;        /* in last */
    struct block *blocks;
    size_t block_count;
    uint64_t end_ns; /* of the last piece */
};

struct wtl_piece_store {
    struct lane *lanes;
    size_t lane_count, lane_room;
    int fd; /* -1 = not needed so far */
    uint64_t bytes, count, begin_ns, end_ns;
    struct packed *read; /* [BLOCK] */
};

struct wtl_piece_store *wtl_piece_store_create(void)
{
    struct wtl_piece_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    store->fd = -1;
    store->begin_ns = UINT64_MAX;
    store->read = calloc(BLOCK, sizeof *store->read);
    if (!store->read) {
        free(store);
        return NULL;
    }
    return store;
}

void wtl_piece_store_destroy(struct wtl_piece_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->lane_count; i++) {
        free(store->lanes[i].last);
        free(store->lanes[i].blocks);
    }
    if (store->fd >= 0)
        (void)close(store->fd);
    free(store->lanes);
    free(store->read);
    free(store);
}

/* ---- the file ---- */

static int open_file(struct wtl_piece_store *store, struct wattle_error *err)
{
    const char *folder = secure_getenv("TMPDIR");
    folder = folder && folder[0] ? folder : "/var/tmp";
    store->fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (store->fd >= 0)
        return 0;
    int code = errno;
    char name[512];
    int length = snprintf(name, sizeof name, "%s/wattle-tasks-XXXXXX", folder);
    if (length > 0 && (size_t)length < sizeof name) /* a file system without O_TMPFILE */
        store->fd = mkostemp(name, O_CLOEXEC);
    if (store->fd < 0)
        return wtl_fail(err, -code,
                        "no temporary file for the tasks in %s: %s; name a folder with "
                        "room in the environment variable TMPDIR",
                        folder, wtl_strerror(code));
    (void)unlink(name);
    return 0;
}

static int write_block(struct wtl_piece_store *store, struct lane *lane, struct wattle_error *err)
{
    const char *from = (const char *)lane->last;
    size_t left = BLOCK * sizeof *lane->last;
    int rc = store->fd < 0 ? open_file(store, err) : 0;
    if (rc < 0)
        return rc;
    if (wtl_grow(&lane->blocks, lane->block_count, sizeof *lane->blocks) < 0)
        return wtl_no_memory_for(err, "the tasks");
    lane->blocks[lane->block_count++] = (struct block){
        .offset = store->bytes, .begin_ns = lane->last[0].begin_ns, .end_ns = lane->end_ns};
    while (left > 0) {
        ssize_t n = pwrite(store->fd, from, left, (off_t)store->bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return wtl_fail(err, n < 0 ? -errno : -ENOSPC,
                            "the temporary file for the tasks: %s; name a folder with more room in "
                            "the environment variable TMPDIR",
                            n < 0 ? wtl_strerror(errno) : wtl_strerror(ENOSPC));
        from += n;
        left -= (size_t)n;
        store->bytes += (uint64_t)n;
    }
    lane->count = 0;
    return 0;
}

static int read_block(struct wtl_piece_store *store,
                      const struct block *block,
                      struct wattle_error *err)
{
    char *to = (char *)store->read;
    size_t left = BLOCK * sizeof *store->read;
    off_t at = (off_t)block->offset;
    while (left > 0) {
        ssize_t n = pread(store->fd, to, left, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return wtl_fail(err, n < 0 ? -errno : -EIO, "the temporary file for the tasks: %s",
                            wtl_strerror(n < 0 ? errno : EIO));
        to += n;
        left -= (size_t)n;
        at += n;
    }
    return 0;
}

/* ---- pieces ---- */

static struct lane *lane_at(struct wtl_piece_store *store, size_t at)
{
    if (at >= store->lane_count) {
        if (wtl_reserve_zeroed(&store->lanes, &store->lane_room, at + 1, sizeof *store->lanes) < 0)
            return NULL;
        store->lane_count = at + 1;
    }
    struct lane *lane = &store->lanes[at];
    if (!lane->last)
        lane->last = calloc(BLOCK, sizeof *lane->last);
    return lane->last ? lane : NULL;
}

int wtl_piece_store_add(struct wtl_piece_store *store,
                        size_t lane_number,
                        const struct wtl_piece *piece,
                        struct wattle_error *err)
{
    struct lane *lane = lane_at(store, lane_number);
    if (!lane)
        return wtl_no_memory_for(err, "the tasks");
    uint64_t begin_ns = piece->begin_ns > lane->end_ns ? piece->begin_ns : lane->end_ns;
    uint64_t length_ns = piece->end_ns > begin_ns ? piece->end_ns - begin_ns : 0;
    if (length_ns == 0 && !(piece->flags & WTL_PIECE_ENDS))
        return 0;
    if (lane->count == BLOCK) {
        int rc = write_block(store, lane, err);
        if (rc < 0)
            return rc;
    }
    uint64_t task = piece->task < TASK_MOST ? piece->task : TASK_MOST;
    lane->last[lane->count++] = (struct packed){
        .begin_ns = begin_ns,
        .length_ns = (length_ns < LENGTH_MOST ? length_ns : LENGTH_MOST) & LENGTH_MOST,
        .type = (piece->type < WTL_PIECE_TYPES ? piece->type : WTL_PIECE_TYPES - 1) & 0xffffu,
        .task = task & TASK_MOST,
        .flags = piece->flags & 15u};
    lane->end_ns = begin_ns + length_ns;
    store->begin_ns = begin_ns < store->begin_ns ? begin_ns : store->begin_ns;
    store->end_ns = lane->end_ns > store->end_ns ? lane->end_ns : store->end_ns;
    store->count++;
    return 0;
}

size_t wtl_piece_store_lanes(const struct wtl_piece_store *store)
{
    return store->lane_count;
}

uint64_t wtl_piece_store_count(const struct wtl_piece_store *store)
{
    return store->count;
}

int wtl_piece_store_span(const struct wtl_piece_store *store,
                         uint64_t *ret_begin_ns,
                         uint64_t *ret_end_ns)
{
    if (store->count == 0)
        return -ENOENT;
    *ret_begin_ns = store->begin_ns;
    *ret_end_ns = store->end_ns;
    return 0;
}

static uint64_t end_of(const struct packed *piece)
{
    return piece->begin_ns + piece->length_ns;
}

static bool is_before(const struct packed *piece, uint64_t begin_ns)
{
    return end_of(piece) < begin_ns || (end_of(piece) == begin_ns && piece->length_ns > 0);
}

/* Those of a block that overlap; 1 = no later one does. */
static int walk_block(const struct packed *pieces,
                      size_t count,
                      uint64_t begin_ns,
                      uint64_t end_ns,
                      wtl_piece_fn take,
                      void *context)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&pieces[middle], begin_ns))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count; low++) {
        const struct packed *at = &pieces[low];
        if (at->begin_ns >= end_ns)
            return 1;
        const struct wtl_piece piece = {.begin_ns = at->begin_ns,
                                        .end_ns = end_of(at),
                                        .task = at->task,
                                        .type = (uint32_t)at->type,
                                        .flags = (unsigned)at->flags};
        int rc = take(context, &piece);
        if (rc != 0)
            return rc < 0 ? rc : 2;
    }
    return 0;
}

int wtl_piece_store_walk(struct wtl_piece_store *store,
                         size_t lane_number,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         wtl_piece_fn take,
                         void *context,
                         struct wattle_error *err)
{
    if (lane_number >= store->lane_count)
        return 0;
    const struct lane *lane = &store->lanes[lane_number];
    size_t low = 0, high = lane->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lane->blocks[middle].end_ns < begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    int rc = 0;
    for (; rc == 0 && low < lane->block_count && lane->blocks[low].begin_ns < end_ns; low++) {
        rc = read_block(store, &lane->blocks[low], err);
        rc = rc < 0 ? rc : walk_block(store->read, BLOCK, begin_ns, end_ns, take, context);
    }
    if (rc == 0 && lane->last)
        rc = walk_block(lane->last, lane->count, begin_ns, end_ns, take, context);
    return rc < 0 ? rc : 0;
}
