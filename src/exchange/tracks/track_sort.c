/* SPDX-License-Identifier: BSD-3-Clause */
/* External merge sort of track records: see track_sort.h. The parts are merged with a heap of their next records. */
#define _GNU_SOURCE
#include "exchange/tracks/track_sort.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"

enum { PART_BUFFER = 512, IN_MEMORY = (32 << 20) / sizeof(struct wtl_track_record) };

/* A sorted stretch of the file. */
struct part {
    uint64_t at, end; /* records not read yet */
    struct wtl_track_record *buffer;
    size_t used, filled;
};

struct wtl_track_sort {
    struct wtl_track_record *records;
    size_t count, room, most, given; /* given: of those in memory */
    uint64_t all, written;
    char *folder;
    int fd;
    struct part *parts;
    size_t part_count, part_room;
    size_t *heap; /* numbers of parts, the earliest on top */
    size_t heap_count;
    bool reading;
};

static int compare(const void *a, const void *b)
{
    const struct wtl_track_record *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

int wtl_track_sort_create(const char *folder,
                          size_t records,
                          struct wtl_track_sort **ret_sort,
                          struct wattle_error *err)
{
    struct wtl_track_sort *sort = calloc(1, sizeof *sort);
    char *copy = strdup(folder);
    if (!sort || !copy) {
        free(sort);
        free(copy);
        return wtl_no_memory(err);
    }
    sort->most = records ? records : IN_MEMORY;
    sort->folder = copy;
    sort->fd = -1;
    *ret_sort = sort;
    return 0;
}

void wtl_track_sort_destroy(struct wtl_track_sort *sort)
{
    if (!sort)
        return;
    for (size_t i = 0; i < sort->part_count; i++)
        free(sort->parts[i].buffer);
    if (sort->fd >= 0)
        (void)close(sort->fd);
    free(sort->parts);
    free(sort->heap);
    free(sort->records);
    free(sort->folder);
    free(sort);
}

uint64_t wtl_track_sort_count(const struct wtl_track_sort *sort)
{
    return sort->all;
}

/* ---- parts ---- */

static int fail_file(const struct wtl_track_sort *sort, int error, struct wattle_error *err)
{
    return wtl_fail(err, -error, "cannot sort in a temporary file in %s: %s", sort->folder,
                    wtl_strerror(error));
}

static int open_file(struct wtl_track_sort *sort, struct wattle_error *err)
{
    char *path = NULL;
    sort->fd = open(sort->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (sort->fd >= 0)
        return 0;
    /* Not every file system has files without a name. */
    if (asprintf(&path, "%s/.wattle-sort-XXXXXX", sort->folder) < 0)
        return wtl_no_memory(err);
    sort->fd = mkostemp(path, O_CLOEXEC);
    int error = errno;
    if (sort->fd >= 0)
        (void)unlink(path);
    free(path);
    return sort->fd < 0 ? fail_file(sort, error, err) : 0;
}

static int write_part(struct wtl_track_sort *sort, struct wattle_error *err)
{
    int rc = sort->fd < 0 ? open_file(sort, err) : 0;
    if (rc == 0 &&
        wtl_reserve(&sort->parts, &sort->part_room, sort->part_count + 1, sizeof *sort->parts) < 0)
        rc = wtl_no_memory(err);
    if (rc < 0)
        return rc;
    wtl_sort(sort->records, sort->count, sizeof *sort->records, compare);
    const char *bytes = (const char *)sort->records;
    size_t left = sort->count * sizeof *sort->records;
    while (left > 0) {
        ssize_t n = write(sort->fd, bytes, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_file(sort, n < 0 ? errno : EIO, err);
        bytes += n;
        left -= (size_t)n;
    }
    sort->parts[sort->part_count++] =
        (struct part){.at = sort->written, .end = sort->written + sort->count};
    sort->written += sort->count;
    sort->count = 0;
    return 0;
}

int wtl_track_sort_add(struct wtl_track_sort *sort,
                       const struct wtl_track_record *record,
                       struct wattle_error *err)
{
    int rc = sort->count == sort->most ? write_part(sort, err) : 0;
    if (rc == 0 &&
        wtl_reserve(&sort->records, &sort->room, sort->count + 1, sizeof *sort->records) < 0)
        rc = wtl_no_memory(err);
    if (rc < 0)
        return rc;
    sort->records[sort->count] = *record;
    sort->records[sort->count++].order = sort->all++;
    return 0;
}

/* ---- merge ---- */

/* The next record of a part into its buffer: 1, 0 at its end, -errno. */
static int fill(const struct wtl_track_sort *sort, struct part *part, struct wattle_error *err)
{
    if (part->used < part->filled)
        return 1;
    if (part->at == part->end)
        return 0;
    if (!part->buffer && !(part->buffer = malloc(PART_BUFFER * sizeof *part->buffer)))
        return wtl_no_memory(err);
    uint64_t left = part->end - part->at;
    size_t count = left < PART_BUFFER ? (size_t)left : PART_BUFFER;
    size_t bytes = count * sizeof *part->buffer, done = 0;
    while (done < bytes) {
        ssize_t n = pread(sort->fd, (char *)part->buffer + done, bytes - done,
                          (off_t)(part->at * sizeof *part->buffer + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_file(sort, n < 0 ? errno : EIO, err);
        done += (size_t)n;
    }
    part->at += count;
    part->used = 0;
    part->filled = count;
    return 1;
}

static const struct wtl_track_record *head(const struct wtl_track_sort *sort, size_t i)
{
    const struct part *part = &sort->parts[sort->heap[i]];
    return &part->buffer[part->used];
}

static void sink(const struct wtl_track_sort *sort, size_t i)
{
    for (;;) {
        size_t least = i, left = 2 * i + 1;
        for (size_t k = left; k < left + 2 && k < sort->heap_count; k++) {
            if (compare(head(sort, k), head(sort, least)) < 0)
                least = k;
        }
        if (least == i)
            return;
        size_t swap = sort->heap[i];
        sort->heap[i] = sort->heap[least];
        sort->heap[least] = swap;
        i = least;
    }
}

static int begin_reading(struct wtl_track_sort *sort, struct wattle_error *err)
{
    int rc = 0;
    sort->reading = true;
    if (sort->part_count == 0) {
        wtl_sort(sort->records, sort->count, sizeof *sort->records, compare);
        return 0;
    }
    rc = sort->count ? write_part(sort, err) : 0;
    free(sort->records);
    sort->records = NULL;
    sort->room = 0;
    sort->heap = rc < 0 ? NULL : calloc(sort->part_count + 1, sizeof *sort->heap);
    if (rc == 0 && !sort->heap)
        rc = wtl_no_memory(err);
    for (size_t i = 0; rc >= 0 && i < sort->part_count; i++) {
        rc = fill(sort, &sort->parts[i], err);
        assert(rc < 0 || sort->heap);
        if (rc > 0)
            sort->heap[sort->heap_count++] = i;
    }
    for (size_t i = sort->heap_count / 2; rc >= 0 && i-- > 0;)
        sink(sort, i);
    return rc < 0 ? rc : 0;
}

int wtl_track_sort_next(struct wtl_track_sort *sort,
                        struct wtl_track_record *ret_record,
                        struct wattle_error *err)
{
    int rc = sort->reading ? 0 : begin_reading(sort, err);
    if (rc < 0)
        return rc;
    if (sort->part_count == 0) {
        if (sort->given == sort->count)
            return 0;
        *ret_record = sort->records[sort->given++];
        return 1;
    }
    if (sort->heap_count == 0)
        return 0;
    struct part *part = &sort->parts[sort->heap[0]];
    *ret_record = part->buffer[part->used++];
    rc = fill(sort, part, err);
    if (rc < 0)
        return rc;
    if (rc == 0)
        sort->heap[0] = sort->heap[--sort->heap_count];
    sink(sort, 0);
    return 1;
}
