/* SPDX-License-Identifier: BSD-3-Clause */
/* Channels that are one small file each: opened once, then always read at offset 0. */
#include "counters/file_set.h"

#include "base/grow.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

int wtl_file_set_init(struct wtl_source *source)
{
    source->impl = calloc(1, sizeof(struct wtl_file_set));
    return source->impl ? 0 : -ENOMEM;
}

int wtl_file_set_add(struct wtl_source *source,
                     const char *path,
                     const struct wattle_channel *channel)
{
    struct wtl_file_set *set = source->impl;
    const struct wtl_world *world = source->world;
    if (wtl_grow(&set->fds, set->count, sizeof *set->fds) < 0)
        return -ENOMEM;
    int fd = world->ops->open(world, path, O_RDONLY);
    if (fd < 0)
        return fd;
    int64_t value;
    int rc = wtl_world_pread_i64(world, fd, &value);
    if (rc == 0) {
        struct wattle_channel copy = *channel;
        (void)snprintf(copy.location, sizeof copy.location, "%s", path);
        rc = wtl_source_add(source, &copy);
    }
    if (rc < 0) {
        world->ops->close(world, fd);
        return rc;
    }
    set->fds[set->count++] = fd;
    return 0;
}

void wtl_file_set_read(struct wtl_source *source,
                       size_t first,
                       size_t n,
                       struct wattle_reading *out)
{
    const struct wtl_file_set *set = source->impl;
    for (size_t i = 0; i < n; i++) {
        int64_t value = 0;
        out[i] = (struct wattle_reading){0};
        out[i].status = wtl_world_pread_i64(source->world, set->fds[first + i], &value);
        out[i].raw = (uint64_t)value;
    }
}

void wtl_file_set_close(struct wtl_source *source)
{
    struct wtl_file_set *set = source->impl;
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        source->world->ops->close(source->world, set->fds[i]);
    free(set->fds);
    free(set);
    source->impl = NULL;
}
