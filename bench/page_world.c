/* SPDX-License-Identifier: BSD-3-Clause */
/* See page_world.h. */
#define _GNU_SOURCE
#include "page_world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/energy_page.h"
#include "source/select.h"

extern const struct wtl_driver wtl_driver_powercap;

enum { CONNECTION = 1 << 20, READS = 32 };

static const uint64_t EVERY_NS = 1000000, INTERRUPTED_NS = 300000;

static struct {
    const struct wtl_world *below;
    struct wtl_world world;
    struct wtl_world_ops ops;
    struct wtl_selection *selection;
    struct wtl_energy_writer *writer;
    uint64_t next_ns, due_ns, seed;
} node;

/* When the sampler wakes: late by 50 to 150 us, as on a quiet machine. */
static uint64_t late(void)
{
    node.seed = node.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 50000 + (node.seed >> 33) % 100000;
}

/* One row, as the recorder takes it. */
static void sample(void)
{
    struct wattle_reading readings[READS];
    for (size_t i = 0; i < node.selection->recorded_count;) {
        const struct wtl_pick *pick = &node.selection->picks[i];
        size_t n = wtl_selection_run(node.selection, i);
        uint64_t before_ns = 0, took_ns = UINT64_MAX;
        for (int tries = 0; tries < 3 && took_ns > INTERRUPTED_NS; tries++) {
            before_ns = wtl_world_monotonic(node.below);
            pick->source->driver->read(pick->source, pick->at, n, readings);
            took_ns = wtl_world_monotonic(node.below) - before_ns;
        }
        uint64_t time_ns = before_ns + took_ns / 2;
        for (size_t k = 0; k < n; k++)
            wtl_energy_page_publish(node.writer, i + k, time_ns, readings[k].raw,
                                    readings[k].status);
        i += n;
    }
}

static int sleep_until(const struct wtl_world *world, uint64_t deadline_ns)
{
    (void)world;
    while (node.next_ns <= deadline_ns) {
        (void)node.below->ops->sleep_until(node.below, node.next_ns);
        sample();
        do
            node.due_ns += EVERY_NS;
        while (node.due_ns < wtl_world_monotonic(node.below));
        node.next_ns = node.due_ns + late();
    }
    return node.below->ops->sleep_until(node.below, deadline_ns);
}

static int connect_here(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    (void)world, (void)address, (void)deadline_ns;
    return CONNECTION;
}

static void close_here(const struct wtl_world *world, int fd)
{
    if (fd != CONNECTION)
        node.below->ops->close(world, fd);
}

static int send_here(const struct wtl_world *world,
                     int fd,
                     const void *data,
                     size_t n,
                     uint64_t deadline_ns)
{
    (void)world, (void)fd, (void)data, (void)n, (void)deadline_ns;
    return 0;
}

static ssize_t recv_here(const struct wtl_world *world,
                         int fd,
                         void *buf,
                         size_t n,
                         uint64_t deadline_ns)
{
    (void)world, (void)fd, (void)deadline_ns;
    return snprintf(buf, n, "ok");
}

static ssize_t recv_memory(const struct wtl_world *world,
                           int fd,
                           void *buf,
                           size_t n,
                           struct wtl_memory *ret_memory,
                           uint64_t deadline_ns)
{
    (void)world, (void)fd, (void)deadline_ns;
    ret_memory->at = wtl_energy_page_lend(node.writer, &ret_memory->size);
    return snprintf(buf, n, "ok full");
}

static void unmap(const struct wtl_world *world, struct wtl_memory memory)
{
    (void)world, (void)memory; /* of the writer */
}

const struct wtl_world *page_world_open(const struct wtl_world *below, uint64_t seed)
{
    static const struct wtl_driver *const drivers[] = {&wtl_driver_powercap, NULL};
    struct wtl_request request = {.drivers = drivers, .in_place = true};
    struct wattle_error err = {""};
    node.below = below;
    if (wtl_selection_open(&request, below, &node.selection, &err) < 0 ||
        wtl_energy_page_open_writer(
            &(struct wtl_energy_page_options){.channels = node.selection->channels,
                                              .count = node.selection->recorded_count,
                                              .interval_ns = EVERY_NS},
            &node.writer) < 0) {
        (void)fprintf(stderr, "no page: %s\n", err.text);
        exit(1);
    }
    node.ops = *below->ops;
    node.ops.sleep_until = sleep_until;
    node.ops.connect = connect_here;
    node.ops.close = close_here;
    node.ops.send = send_here;
    node.ops.recv = recv_here;
    node.ops.recv_memory = recv_memory;
    node.ops.unmap = unmap;
    node.world = *below;
    node.world.ops = &node.ops;
    node.seed = seed;
    node.due_ns = wtl_world_monotonic(below) + late() * 10 % EVERY_NS;
    node.next_ns = node.due_ns;
    for (int i = 0; i < 10; i++)
        (void)sleep_until(below, node.next_ns);
    return &node.world;
}

void page_world_close(void)
{
    wtl_energy_page_close_writer(node.writer);
    wtl_selection_close(node.selection);
    node.writer = NULL;
    node.selection = NULL;
}
