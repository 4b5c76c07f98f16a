/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk: see walk.h. Reads with pread(2) through a window of 64 kB and never maps the file: a live trace
 * may be truncated by its writer, which with a mapping would cause a signal instead of an error.
 */
#define _GNU_SOURCE
#include "trace/blocks/walk.h"

#include <errno.h>
#include <unistd.h>

#include "trace/blocks/crc32c.h"

enum { WINDOW = 65536, TAIL = 16384 };

void wtl_walk_init(struct wtl_walk *walk, int fd, uint64_t offset, uint64_t end)
{
    *walk = (struct wtl_walk){.fd = fd, .length = UINT64_MAX, .offset = offset, .end = end};
}

void wtl_walk_init_like(struct wtl_walk *walk,
                        const struct wtl_walk *like,
                        uint64_t offset,
                        uint64_t end)
{
    wtl_walk_init(walk, like->fd, offset, end);
    walk->base = like->base;
    walk->length = like->length;
}

int wtl_walk_size(const struct wtl_walk *walk, uint64_t *ret_size)
{
    off_t end = lseek(walk->fd, 0, SEEK_END);
    if (end < 0)
        return -errno;
    uint64_t size = (uint64_t)end > walk->base ? (uint64_t)end - walk->base : 0;
    *ret_size = size < walk->length ? size : walk->length;
    return 0;
}

void wtl_walk_fini(struct wtl_walk *walk)
{
    wtl_bytes_fini(&walk->window);
    wtl_bytes_fini(&walk->payload);
}

ssize_t wtl_walk_read(const struct wtl_walk *walk, uint64_t offset, uint8_t *buf, size_t n)
{
    size_t got = 0;
    uint64_t end = walk->end < walk->length ? walk->end : walk->length;
    if (offset >= end || offset > INT64_MAX - walk->base)
        return 0;
    if (n > end - offset)
        n = (size_t)(end - offset);
    while (got < n) {
        ssize_t m = pread(walk->fd, buf + got, n - got, (off_t)(walk->base + offset + got));
        if (m < 0 && errno == EINTR)
            continue;
        if (m < 0)
            return -errno;
        if (m == 0)
            break;
        got += (size_t)m;
    }
    return (ssize_t)got;
}

/* Make the window contain n bytes at offset, if the file has them. Returns the number available, and
 * *ret_bytes pointing to the first. */
static ssize_t view_bytes(struct wtl_walk *walk,
                          uint64_t offset,
                          size_t n,
                          const uint8_t **ret_bytes)
{
    struct wtl_bytes *window = &walk->window;
    uint64_t window_end = walk->window_at + window->length;
    if (offset < walk->window_at || offset + n > window_end) {
        size_t wanted = walk->window_bytes ? walk->window_bytes : WINDOW;
        wanted = n > wanted ? n : wanted;
        wtl_bytes_reset(window);
        uint8_t *room = wtl_bytes_reserve(window, wanted);
        if (!room)
            return -ENOMEM;
        ssize_t got = wtl_walk_read(walk, offset, room, wanted);
        if (got < 0)
            return got;
        window->length = (size_t)got;
        walk->window_at = offset;
    }
    *ret_bytes = window->data + (offset - walk->window_at);
    return (ssize_t)(walk->window_at + window->length - offset);
}

/* Whether there is a whole head with a valid CRC at offset: 1, 0, or -errno; *ret_left: bytes available. */
static int head_at(struct wtl_walk *walk,
                   uint64_t offset,
                   struct wtl_block_head *ret_head,
                   size_t *ret_left)
{
    const uint8_t *bytes;
    ssize_t left = view_bytes(walk, offset, WTL_BLOCK_HEAD, &bytes);
    if (left < 0)
        return (int)left;
    *ret_left = (size_t)left;
    return left >= WTL_BLOCK_HEAD && wtl_block_parse(bytes, ret_head) == 0;
}

/* The first byte at or after offset that is not in a hole of the file: holes may have terabytes. */
static uint64_t behind_hole(const struct wtl_walk *walk, uint64_t offset)
{
    if (offset > INT64_MAX - walk->base)
        return offset;
    uint64_t size = 0;
    off_t data = lseek(walk->fd, (off_t)(walk->base + offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO && wtl_walk_size(walk, &size) == 0) /* no more data */
        return size > offset ? size : offset;
    return data < 0 || (uint64_t)data < walk->base + offset ? offset : (uint64_t)data - walk->base;
}

/* Find the next offset after `offset` with a valid head: 1, 0 if no such head follows, or -errno. */
static int resync(struct wtl_walk *walk, uint64_t offset, uint64_t *ret_offset)
{
    struct wtl_block_head head;
    for (uint64_t at = offset + 1;;) {
        const uint8_t *bytes;
        ssize_t left = view_bytes(walk, at, WTL_BLOCK_HEAD, &bytes);
        if (left < WTL_BLOCK_HEAD)
            return left < 0 ? (int)left : 0;
        const uint8_t *hit =
            (const uint8_t *)memchr(bytes, 0xf5, (size_t)left - WTL_BLOCK_HEAD + 1);
        if (!hit) {
            at = behind_hole(walk, at + (uint64_t)left - WTL_BLOCK_HEAD + 1);
            continue;
        }
        at += (uint64_t)(hit - bytes);
        if (wtl_block_parse(hit, &head) == 0) {
            *ret_offset = at;
            return 1;
        }
        at++;
    }
}

/* Whether all n bytes from offset are in the file: 1, 0, or -errno. */
static int has_bytes(const struct wtl_walk *walk, uint64_t offset, uint64_t n)
{
    uint8_t last;
    ssize_t got = wtl_walk_read(walk, offset + n - 1, &last, 1);
    return got < 0 ? (int)got : got == 1;
}

static int end_here(struct wtl_walk *walk, struct wtl_walk_item *ret_item, bool is_block)
{
    uint64_t end = 0;
    if (wtl_walk_size(walk, &end) < 0)
        end = walk->offset;
    if (end > walk->end)
        end = walk->end;
    walk->left = end > walk->offset ? end - walk->offset : 0;
    walk->left_is_block = is_block;
    if (!walk->final || is_block || walk->left < WTL_BLOCK_HEAD)
        return WTL_WALK_END;
    *ret_item = (struct wtl_walk_item){.offset = walk->offset, .bytes = walk->left};
    walk->offset += walk->left;
    walk->left = 0;
    return WTL_WALK_DAMAGED;
}

int wtl_walk_next(struct wtl_walk *walk, struct wtl_walk_item *ret_item)
{
    struct wtl_walk_item item = {.offset = walk->offset};
    size_t left = 0;
    int found = head_at(walk, walk->offset, &item.head, &left);
    if (found < 0)
        return found;
    if (found) {
        item.bytes = WTL_BLOCK_HEAD + (uint64_t)item.head.length;
        int whole = item.bytes <= left ? 1 : has_bytes(walk, item.offset, item.bytes);
        if (whole < 0)
            return whole;
        if (!whole)
            return end_here(walk, ret_item, true);
        walk->offset += item.bytes;
        *ret_item = item;
        return WTL_WALK_BLOCK;
    }
    uint64_t next = walk->offset;
    found = left < WTL_BLOCK_HEAD ? 0 : resync(walk, walk->offset, &next);
    if (found < 0)
        return found;
    if (!found)
        return end_here(walk, ret_item, false);
    item.bytes = next - walk->offset;
    walk->offset = next;
    *ret_item = item;
    return WTL_WALK_DAMAGED;
}

int wtl_walk_payload(struct wtl_walk *walk,
                     const struct wtl_walk_item *item,
                     const uint8_t **ret_payload)
{
    const uint8_t *bytes;
    size_t n = item->head.length;
    uint64_t at = item->offset + WTL_BLOCK_HEAD;
    if (n <= WINDOW) {
        ssize_t left = view_bytes(walk, at, n, &bytes);
        if (left < 0)
            return (int)left;
        if ((size_t)left < n)
            return -EBADMSG;
    } else {
        wtl_bytes_reset(&walk->payload);
        uint8_t *room = wtl_bytes_reserve(&walk->payload, n);
        if (!room)
            return -ENOMEM;
        ssize_t got = wtl_walk_read(walk, at, room, n);
        if (got < 0)
            return (int)got;
        if ((size_t)got < n)
            return -EBADMSG;
        bytes = room;
    }
    if (wtl_crc32c(bytes, n) != item->head.payload_crc)
        return -EBADMSG;
    *ret_payload = bytes;
    return 0;
}

int wtl_walk_at(struct wtl_walk *walk,
                uint64_t offset,
                struct wtl_walk_item *ret_item,
                const uint8_t **ret_payload)
{
    struct wtl_walk_item item = {.offset = offset};
    size_t left = 0;
    int found = head_at(walk, offset, &item.head, &left);
    if (found <= 0)
        return found < 0 ? found : -EBADMSG;
    item.bytes = WTL_BLOCK_HEAD + (uint64_t)item.head.length;
    *ret_item = item;
    return wtl_walk_payload(walk, &item, ret_payload);
}

int wtl_walk_tail(struct wtl_walk *walk, size_t n, uint64_t *ret_size, const uint8_t **ret_bytes)
{
    uint64_t size = 0;
    int code = wtl_walk_size(walk, &size);
    if (code < 0)
        return code;
    if (size < n)
        return -EBADMSG;
    uint64_t from = size > TAIL ? size - TAIL : 0;
    const uint8_t *bytes;
    size_t before = walk->window_bytes;
    walk->window_bytes = (size_t)(size - from);
    ssize_t left = view_bytes(walk, from, (size_t)(size - from), &bytes);
    walk->window_bytes = before;
    if (left < 0)
        return (int)left;
    if ((uint64_t)left < size - from)
        return -EBADMSG;
    *ret_size = size;
    *ret_bytes = bytes + (size - from - n);
    return 0;
}
