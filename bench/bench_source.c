/* SPDX-License-Identifier: BSD-3-Clause */
/* Drivers for benchmarks: see bench_source.h. */
#define _GNU_SOURCE
#include "bench_source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t bench_channels = 8;

static const char numeric_file[] = "/sys/kernel/mm/ksm/run";

struct state {
    int fds[64];
    uint64_t raw[64];
};

static int open_state(struct wtl_source *source)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return -ENOMEM;
    source->impl = state;
    for (size_t i = 0; i < bench_channels; i++) {
        state->fds[i] = -1;
        struct wattle_channel channel =
            wtl_channel_init(WATTLE_DOMAIN_PACKAGE, (int)i, WATTLE_ENERGY, WATTLE_COUNTER);
        channel.scale = 1.0 / 16384;
        channel.modulus = 1ull << 32;
        channel.refresh_ns = 976000;
        int rc = wtl_source_add(source, &channel);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void close_state(struct wtl_source *source)
{
    struct state *state = source->impl;
    for (size_t i = 0; state && i < 64; i++) {
        if (state->fds[i] > 0)
            (void)close(state->fds[i]);
    }
    free(state);
}

/* 100 W with the noise of a busy package: about 1638 ticks per millisecond. */
static uint64_t advance(struct state *state, size_t i, uint64_t now_ns)
{
    static uint64_t seed = 88172645463325252ull;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    state->raw[i] = (uint64_t)((double)now_ns * 1.6384e-3) + (seed & 63);
    return state->raw[i] & 0xffffffff;
}

static void read_memory(struct wtl_source *source,
                        size_t first,
                        size_t n,
                        struct wattle_reading *out)
{
    struct state *state = source->impl;
    for (size_t i = 0; i < n; i++) {
        state->raw[first + i] += 1600 + (state->raw[first + i] >> 3 & 63);
        out[i] = (struct wattle_reading){.raw = state->raw[first + i] & 0xffffffff};
    }
}

static int open_pread(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    int rc = open_state(source);
    struct state *state = source->impl;
    for (size_t i = 0; rc == 0 && i < bench_channels; i++) {
        state->fds[i] = source->world->ops->open(source->world, numeric_file, O_RDONLY);
        rc = state->fds[i] < 0 ? state->fds[i] : 0;
    }
    return rc;
}

static void read_pread(struct wtl_source *source,
                       size_t first,
                       size_t n,
                       struct wattle_reading *out)
{
    struct state *state = source->impl;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        int rc = wtl_world_pread_u64(source->world, state->fds[first + i], &value);
        uint64_t now_ns = i == 0 ? wtl_world_monotonic(source->world) : state->raw[first];
        out[i] = (struct wattle_reading){.raw = advance(state, first + i, now_ns), .status = rc};
    }
}

static int open_group(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    int rc = open_state(source);
    struct state *state = source->impl;
    for (size_t i = 0; rc == 0 && i < bench_channels; i++) {
        struct perf_event_attr attr = {.size = sizeof attr,
                                       .type = PERF_TYPE_SOFTWARE,
                                       .config = PERF_COUNT_SW_CPU_CLOCK,
                                       .read_format = PERF_FORMAT_GROUP};
        int leader = i == 0 ? -1 : state->fds[0];
        state->fds[i] = source->world->ops->perf_event_open(source->world, &attr, 0, -1, leader, 0);
        rc = state->fds[i] < 0 ? state->fds[i] : 0;
    }
    return rc;
}

static void read_group(struct wtl_source *source,
                       size_t first,
                       size_t n,
                       struct wattle_reading *out)
{
    struct state *state = source->impl;
    uint64_t group[65];
    ssize_t got = source->world->ops->read(source->world, state->fds[0], group, sizeof group);
    uint64_t now_ns = wtl_world_monotonic(source->world);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.raw = advance(state, first + i, now_ns),
                                         .status = got < 0 ? (int)got : 0};
}

static int open_memory(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    return open_state(source);
}

const struct wtl_driver bench_memory = {.name = "memory",
                                        .open = open_memory,
                                        .read = read_memory,
                                        .close = close_state};
const struct wtl_driver bench_pread = {.name = "pread",
                                       .open = open_pread,
                                       .read = read_pread,
                                       .close = close_state};
const struct wtl_driver bench_group = {.name = "group",
                                       .open = open_group,
                                       .read = read_group,
                                       .close = close_state};
