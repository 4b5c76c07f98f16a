/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hostile wattled: any reply, and a page of which any bytes are changed, before and after it was checked. The input is
 * the reply up to its first NUL (nothing: "ok full"), then changes of 12 bytes: an offset and what is written there, the
 * second half of them while the page is in use. Whatever the page says, the driver stays within it, shows only printable
 * text, and no reading is of the future.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/page.h>

#include "source/driver.h"

extern const struct wtl_driver wtl_driver_page;

enum { CHANNELS = 2, CHANGE = 12, CONNECTION = 5 };
enum {
    SIZE = sizeof(struct wattle_page_header) +
           CHANNELS * (sizeof(struct wattle_page_channel) + sizeof(struct wattle_page_slot))
};

static const uint64_t NOW_NS = UINT64_C(1000000000000);

static char *memory, reply[WATTLE_PAGE_TEXT];

static void demand(int holds)
{
    if (!holds)
        abort();
}

static void fill(void)
{
    struct wattle_page_header *header = (void *)memory;
    struct wattle_page_channel *channels = (void *)(header + 1);
    struct wattle_page_slot *slots = (void *)(channels + CHANNELS);
    memset(memory, 0, SIZE);
    *header = (struct wattle_page_header){.version = WATTLE_PAGE_VERSION,
                                          .header_size = sizeof *header,
                                          .channel_size = sizeof *channels,
                                          .slot_size = sizeof *slots,
                                          .channel_count = CHANNELS,
                                          .levels = WATTLE_PAGE_LEVELS,
                                          .ring = WATTLE_PAGE_RING,
                                          .state = WATTLE_PAGE_LIVE,
                                          .detail = WATTLE_PAGE_FULL,
                                          .key = 1,
                                          .generation = 1,
                                          .interval_ns = 1000000,
                                          .beat_ns = NOW_NS,
                                          .writer = "wattled"};
    memcpy(header->magic, WATTLE_PAGE_MAGIC, sizeof header->magic);
    for (int i = 0; i < CHANNELS; i++) {
        channels[i] = (struct wattle_page_channel){.sensor = "powercap",
                                                   .domain = WATTLE_DOMAIN_PACKAGE,
                                                   .quantity = WATTLE_ENERGY,
                                                   .kind = WATTLE_COUNTER,
                                                   .index = i,
                                                   .sub = -1,
                                                   .scale = 1e-6,
                                                   .refresh_ns = 1000000};
        (void)snprintf(channels[i].name, sizeof channels[i].name, "powercap:package-%d", i);
        slots[i].now[0] = slots[i].now[1] =
            (struct wattle_page_now){.time_ns = NOW_NS - 1000000, .ticks = 7, .raw = 7};
    }
}

/* ---- the world ---- */

static int connect_here(const struct wtl_world *world, const char *address, uint64_t deadline_ns)
{
    (void)world, (void)address, (void)deadline_ns;
    return CONNECTION;
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
    return snprintf(buf, n, "ok\nreaders_allowed = %s", reply) >= (int)n ? (ssize_t)n - 1
                                                                         : (ssize_t)strlen(buf);
}

static ssize_t recv_memory(const struct wtl_world *world,
                           int fd,
                           void *buf,
                           size_t n,
                           struct wtl_memory *ret_memory,
                           uint64_t deadline_ns)
{
    (void)world, (void)fd, (void)deadline_ns;
    *ret_memory = (struct wtl_memory){memory, SIZE};
    (void)snprintf(buf, n, "%s", reply);
    return (ssize_t)strlen(buf);
}

static void unmap(const struct wtl_world *world, struct wtl_memory of)
{
    (void)world, (void)of;
}

static void close_here(const struct wtl_world *world, int fd)
{
    (void)world;
    demand(fd == CONNECTION);
}

static int open_nothing(const struct wtl_world *world, const char *path, int flags)
{
    (void)world, (void)path, (void)flags;
    return -ENOENT;
}

static uint64_t now_ns(const struct wtl_world *world, clockid_t clock)
{
    (void)world, (void)clock;
    return NOW_NS;
}

static int sleep_not(const struct wtl_world *world, uint64_t deadline_ns)
{
    (void)world, (void)deadline_ns;
    return -EINTR;
}

static const char *no_variable(const struct wtl_world *world, const char *name)
{
    (void)world, (void)name;
    return NULL;
}

static const struct wtl_world_ops ops = {.open = open_nothing,
                                         .close = close_here,
                                         .now_ns = now_ns,
                                         .sleep_until = sleep_not,
                                         .connect = connect_here,
                                         .send = send_here,
                                         .recv = recv_here,
                                         .recv_memory = recv_memory,
                                         .unmap = unmap,
                                         .getenv = no_variable};
static const struct wtl_world world = {.ops = &ops};

/* ---- */

static void change(const uint8_t *data)
{
    uint32_t at;
    memcpy(&at, data, sizeof at);
    memcpy(memory + at % (SIZE - 7), data + 4, 8);
}

static void check_text(const char *text)
{
    for (; *text; text++)
        demand(*text >= ' ' && *text <= '~');
}

static void check_readings(struct wtl_source *source)
{
    for (int times = 0; times < 3; times++) {
        struct wattle_reading readings[CHANNELS];
        source->driver->read(source, 0, source->count, readings);
        for (size_t i = 0; i < source->count; i++) {
            demand(readings[i].time_ns > 0 && readings[i].time_ns <= NOW_NS);
            demand(readings[i].status <= 0 && readings[i].status > -4096);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_source source;
    struct wattle_error err = {""};
    size_t n = strnlen((const char *)data, size);
    memory = malloc(SIZE); /* exact, for the address sanitizer */
    if (!memory)
        return 0;
    fill();
    (void)snprintf(reply, sizeof reply, "%.*s", (int)(n < sizeof reply ? n : sizeof reply - 1),
                   n ? (const char *)data : "ok full");
    if (n == 0)
        (void)snprintf(reply, sizeof reply, "ok full");
    size_t at = n < size ? n + 1 : size, changes = (size - at) / CHANGE;
    for (size_t i = 0; i < changes / 2; i++)
        change(data + at + i * CHANGE);
    int rc = wtl_source_open(&source, &wtl_driver_page, &world, NULL, NULL, &err);
    demand(rc == 0 || err.text[0]);
    check_text(err.text);
    if (rc == 0) {
        check_text(source.about);
        for (size_t i = 0; i < source.count; i++) {
            check_text(source.channels[i].name);
            check_text(source.channels[i].location);
            check_text(source.channels[i].label);
        }
        check_readings(&source);
        for (size_t i = changes / 2; i < changes; i++)
            change(data + at + i * CHANGE);
        check_readings(&source);
    }
    wtl_source_close(&source);
    free(memory);
    return 0;
}
