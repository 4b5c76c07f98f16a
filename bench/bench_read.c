/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of a program reading its own energy: wattle_mark_now() and wattle_read() compared with
 * clock_gettime(), while a thread publishes samples at 1 kHz like the sampler; and the cost of
 * publishing to the sampler. Medians over blocks of 1000 calls with the 5 % and 95 % quantiles of
 * the blocks. Prints results; asserts nothing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <wattle/profiler.h>

#include "bench_spread.h"
#include "bench_time.h"
#include "profiler/profiler_read.h"
#include "record/energy_page.h"

enum { BLOCKS = 1000, CALLS = 1000, CHANNELS = 8, HOUR_MS = 3600000 };

static struct wattle_channel channels[CHANNELS];
static struct wtl_energy_writer *writer;
static atomic_bool over;
static struct wattle_mark marks[2]; /* a second ago, half an hour ago */
static volatile uint64_t sink;

static void publish(uint64_t time_ns)
{
    for (size_t i = 0; i < CHANNELS; i++)
        wtl_energy_page_publish(writer, i, time_ns, time_ns / 10000, 0);
}

static void *sample(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        publish(now_ns());
    }
    return NULL;
}

static void call_clock(void)
{
    sink = now_ns();
}

static void call_mark(void)
{
    (void)wattle_mark_now(&marks[0]);
}

static void read_channels(const struct wattle_mark *since, size_t n)
{
    struct wattle_domain_energy used[CHANNELS];
    (void)wattle_read(since, used, n);
    sink = used[0].window_ns;
}

static void call_read_all(void)
{
    read_channels(NULL, 1);
}

static void call_read_one(void)
{
    read_channels(&marks[0], 1);
}

static void call_read_two(void)
{
    read_channels(&marks[0], 2);
}

static void call_read_eight(void)
{
    read_channels(&marks[0], 8);
}

static void call_read_old(void)
{
    read_channels(&marks[1], 1);
}

static void call_total(void)
{
    struct wattle_domain_energy used;
    (void)wattle_read_total(&marks[0], &used);
    sink = used.window_ns;
}

static void call_publish(void)
{
    static uint64_t time_ns = UINT64_C(1) << 60; /* later than all others; run this row last */
    publish(time_ns += 1000000);
}

static void row(const char *title, void (*call)(void), double per)
{
    static double block_ns[BLOCKS];
    for (size_t b = 0; b < BLOCKS; b++) {
        uint64_t begin = now_ns();
        for (size_t i = 0; i < CALLS; i++)
            call();
        block_ns[b] = (double)(now_ns() - begin) / CALLS / per;
    }
    struct bench_spread spread = bench_spread_of(block_ns, BLOCKS);
    printf("%-44s ", title);
    bench_spread_print(&spread, 1, 1, "ns");
    putchar('\n');
}

/* An hour of samples at 1 kHz, ending now. */
static int set_up(void)
{
    struct wtl_energy_reader *reader;
    size_t size;
    for (size_t i = 0; i < CHANNELS; i++) {
        channels[i] = (struct wattle_channel){.domain = WATTLE_DOMAIN_PACKAGE,
                                              .index = (int)i,
                                              .sub = -1,
                                              .quantity = WATTLE_ENERGY,
                                              .kind = WATTLE_COUNTER,
                                              .flags = i < 2 ? WATTLE_CHANNEL_IN_TOTAL : 0,
                                              .scale = 1e-6,
                                              .refresh_ns = 1000000};
        (void)snprintf(channels[i].name, sizeof channels[i].name, "bench:package-%zu", i);
    }
    if (wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.folder = NULL,
                                                                      .held = NULL,
                                                                      .channels = channels,
                                                                      .count = CHANNELS,
                                                                      .interval_ns = 1000000},
                                    &writer) < 0)
        return -1;
    const struct wattle_page_header *header = wtl_energy_page_lend(writer, &size);
    if (wtl_energy_page_attach(header, size, &reader) < 0)
        return -1;
    wtl_profiler_read_from(reader);
    uint64_t end_ns = now_ns(), begin_ns = end_ns - (uint64_t)HOUR_MS * 1000000;
    if (end_ns < (uint64_t)HOUR_MS * 1000000)
        begin_ns = 1000000; /* a machine that was booted less than an hour ago */
    wtl_energy_page_begin(writer, begin_ns);
    for (uint64_t t = begin_ns; t < end_ns; t += 1000000)
        publish(t);
    (void)wattle_mark_now(&marks[0]);
    marks[1] = marks[0];
    marks[1].opaque[0] -=
        (uint64_t)HOUR_MS / 2 * 1000000; /* like the mark of a region which began then */
    marks[1].opaque[2] = 0;
    return 0;
}

int main(void)
{
    pthread_t thread;
    if (set_up() < 0 || pthread_create(&thread, NULL, sample, NULL) != 0)
        return 1;
    (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    printf("of a call\n");
    row("clock_gettime", call_clock, 1);
    row("wattle_read, 1 channel, since the beginning", call_read_all, 1);
    row("wattle_read, 1 channel, since a mark", call_read_one, 1);
    row("wattle_read, 2 channels, since a mark", call_read_two, 1);
    row("wattle_read, 8 channels, since a mark", call_read_eight, 1);
    row("wattle_read, 1 channel, half an hour back", call_read_old, 1);
    row("wattle_read_total, 2 channels", call_total, 1);
    row("wattle_mark_now, 8 channels", call_mark, 1);
    atomic_store(&over, true);
    (void)pthread_join(thread, NULL);
    row("the sampler publishes, each channel", call_publish, CHANNELS);
    wtl_energy_page_close_writer(writer);
    return 0;
}
