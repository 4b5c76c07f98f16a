/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the backends with the fake libraries of tests/gpu: their folder, the file of their values, the open list. */
#ifndef WATTLE_TESTS_FAKE_LIBRARY_H
#define WATTLE_TESTS_FAKE_LIBRARY_H

#include <errno.h>
#include <unistd.h>

#include "gpu/backend.h"
#include "tap.h"

struct fake {
    const struct wtl_gpu_backend *backend;
    char library[512], values[64];
    struct wtl_gpu_list list;
    struct wattle_error err;
};

/* The library FAKE_FOLDER/name, with no values yet. */
__attribute__((unused)) static struct fake fake_init(const struct wtl_gpu_backend *backend,
                                                     const char *name)
{
    struct fake fake = {.backend = backend};
    (void)snprintf(fake.library, sizeof fake.library, "%s/lib%s.so", FAKE_FOLDER, name);
    (void)snprintf(fake.values, sizeof fake.values, "/tmp/wattle-fake-XXXXXX");
    int fd = mkstemp(fake.values);
    if (fd < 0 || setenv("WATTLE_FAKE_GPU", fake.values, 1) < 0)
        abort();
    (void)close(fd);
    return fake;
}

/* The values from now on: lines ended by "\n". */
__attribute__((unused)) static void fake_values(const struct fake *fake, const char *lines)
{
    FILE *file = fopen(fake->values, "we");
    if (!file || fputs(lines, file) < 0 || fclose(file) != 0)
        abort();
}

/* One more line, which wins over an earlier one with the same key. */
__attribute__((unused)) static void fake_set(const struct fake *fake, const char *line)
{
    FILE *file = fopen(fake->values, "ae");
    if (!file || fprintf(file, "%s\n", line) < 0 || fclose(file) != 0)
        abort();
}

__attribute__((unused)) static void fake_close(struct fake *fake)
{
    fake->backend->close();
    wtl_gpu_list_fini(&fake->list);
}

__attribute__((unused)) static int fake_open(struct fake *fake)
{
    fake_close(fake);
    fake->err.text[0] = '\0';
    return fake->backend->open(fake->library, &fake->list, &fake->err);
}

__attribute__((unused)) static void fake_fini(struct fake *fake)
{
    fake_close(fake);
    (void)unlink(fake->values);
}

/* The channel of a device (sub: WTL_GPU_NO), or NULL. */
__attribute__((unused)) static const struct wtl_gpu_channel *fake_channel(const struct fake *fake,
                                                                          int device,
                                                                          const char *word,
                                                                          int sub)
{
    for (size_t i = 0; i < fake->list.channel_count; i++) {
        const struct wtl_gpu_channel *channel = &fake->list.channels[i];
        if (channel->device == device && channel->sub == sub && strcmp(channel->word, word) == 0)
            return channel;
    }
    return NULL;
}

/* Its value in the unit of its quantity; the error as a negative number. */
__attribute__((unused)) static double fake_read(const struct fake *fake,
                                                int device,
                                                const char *word,
                                                int sub)
{
    const struct wtl_gpu_channel *channel = fake_channel(fake, device, word, sub);
    uint64_t raw = 0;
    int rc = channel
                 ? fake->backend->read(&fake->list, (size_t)(channel - fake->list.channels), &raw)
                 : -ENOENT;
    if (rc < 0)
        return rc;
    return channel->scale * (channel->kind == WATTLE_COUNTER ? (double)raw : (double)(int64_t)raw);
}

__attribute__((unused)) static bool fake_says(const struct fake *fake, const char *part)
{
    for (size_t i = 0; i < fake->list.note_count; i++)
        if (strstr(fake->list.notes[i].text, part))
            return true;
    for (size_t i = 0; i < fake->list.note_count; i++)
        diag("note: %s", fake->list.notes[i].text);
    return false;
}

/* How many channels enter a total: energy and power that are not spare, parts only without a whole. */
__attribute__((unused)) static size_t fake_totals(const struct fake *fake)
{
    size_t count = 0;
    for (size_t i = 0; i < fake->list.channel_count; i++) {
        const struct wtl_gpu_channel *channel = &fake->list.channels[i];
        bool within = false;
        for (size_t k = 0; k < fake->list.channel_count && channel->sub != WTL_GPU_NO; k++) {
            const struct wtl_gpu_channel *whole = &fake->list.channels[k];
            within |= whole->device == channel->device && whole->sub == WTL_GPU_NO &&
                      !whole->spare && !whole->activity;
        }
        count += !channel->activity && !channel->spare && !within;
    }
    return count;
}

#endif
