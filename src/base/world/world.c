/* SPDX-License-Identifier: BSD-3-Clause */
/* Convenience functions on top of the world's table: reading small files as text and numbers. */
#define _GNU_SOURCE
#include "base/world/world.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/parse.h"

uint64_t wtl_world_monotonic(const struct wtl_world *world)
{
    return world->ops->now_ns(world, CLOCK_MONOTONIC);
}

int wtl_world_put(const struct wtl_world *world, const char *path, const char *text)
{
    return world->ops->put ? world->ops->put(world, path, text) : -ENOTSUP;
}

int wtl_world_may_put(const struct wtl_world *world, const char *path)
{
    if (world->ops->may_put)
        return world->ops->may_put(world, path);
    return world->ops->geteuid(world) == 0 ? 0 : -EACCES;
}

int wtl_world_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    return world->ops->connect ? world->ops->connect(world, address, deadline_ns) : -ENOTSUP;
}

int wtl_world_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    return world->ops->spawn ? world->ops->spawn(world, argv, ret_child) : -ENOTSUP;
}

int wtl_world_converse(const struct wtl_world *world, const char *const argv[], pid_t *ret_child)
{
    return world->ops->converse ? world->ops->converse(world, argv, ret_child) : -ENOTSUP;
}

ssize_t wtl_world_recv_memory(const struct wtl_world *world,
                              int fd,
                              void *buf,
                              size_t n,
                              struct wtl_memory *ret_memory,
                              uint64_t deadline_ns)
{
    return world->ops->recv_memory
               ? world->ops->recv_memory(world, fd, buf, n, ret_memory, deadline_ns)
               : -ENOTSUP;
}

static size_t trim(char *text, size_t n)
{
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    text[n] = '\0';
    return n;
}

ssize_t wtl_world_text(const struct wtl_world *world, const char *path, char *buf, size_t n)
{
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return fd;
    size_t used = 0;
    ssize_t got = 0;
    while (used < n && (got = world->ops->pread(world, fd, buf + used, n - used, (off_t)used)) > 0)
        used += (size_t)got;
    world->ops->close(world, fd);
    if (got < 0)
        return got;
    if (used == n)
        return -EOVERFLOW;
    return (ssize_t)trim(buf, used);
}

ssize_t wtl_world_slurp(const struct wtl_world *world, const char *path, char **ret_text)
{
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return fd;
    size_t size = 4096, used = 0;
    char *text = malloc(size);
    ssize_t got = text ? 0 : -ENOMEM;
    while (text &&
           (got = world->ops->pread(world, fd, text + used, size - used - 1, (off_t)used)) > 0) {
        used += (size_t)got;
        if (used + 1 < size)
            continue;
        got = wtl_reserve(&text, &size, size + 1, 1);
        if (got < 0)
            break;
    }
    world->ops->close(world, fd);
    if (!text || got < 0) {
        free(text);
        return got;
    }
    text[used] = '\0';
    *ret_text = text;
    return (ssize_t)used;
}

int wtl_world_u64(const struct wtl_world *world, const char *path, uint64_t *ret_value)
{
    char text[64];
    ssize_t n = wtl_world_text(world, path, text, sizeof text);
    if (n < 0)
        return (int)n;
    return wtl_parse_u64(text, ret_value) < 0 ? -EBADMSG : 0;
}

/* Parse a number at the start of n bytes, not followed by anything that could belong to it: "0x1f" is not 0. */
static int take_number(const char *text, ssize_t n, uint64_t *ret_value)
{
    uint64_t value;
    int used = wtl_scan_u64(text, (size_t)n, &value);
    if (used < 0 || (used < n && !isspace((unsigned char)text[used])))
        return -EBADMSG;
    *ret_value = value;
    return 0;
}

int wtl_world_pread_u64(const struct wtl_world *world, int fd, uint64_t *ret_value)
{
    char text[32];
    ssize_t n = world->ops->pread(world, fd, text, sizeof text, 0);
    return n < 0 ? (int)n : take_number(text, n, ret_value);
}

int wtl_world_pread_i64(const struct wtl_world *world, int fd, int64_t *ret_value)
{
    char text[32];
    ssize_t n = world->ops->pread(world, fd, text, sizeof text, 0);
    if (n < 0)
        return (int)n;
    uint64_t value;
    int negative = n > 0 && text[0] == '-';
    if (take_number(text + negative, n - negative, &value) < 0 || value > INT64_MAX)
        return -EBADMSG;
    *ret_value = negative ? -(int64_t)value : (int64_t)value;
    return 0;
}
