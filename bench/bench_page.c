/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * O8: the cost of reading a channel's energy from the page of wattled with <wattle/page.h>, while a thread publishes at
 * 1 kHz; beside it, in the same run, clock_gettime() and a pread of a file of powercap (of any small file where there is
 * none). Then with several readers at once. Medians over blocks of 1000 calls with the 5 % and 95 % quantiles of the
 * blocks. Prints results; asserts nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <wattle/page.h>

#include "bench_spread.h"
#include "bench_time.h"
#include "record/energy_page.h"

enum { BLOCKS = 500, CALLS = 1000, CHANNELS = 8, READERS_MAX = 64 };

static const char POWERCAP[] = "/sys/class/powercap/intel-rapl:0/energy_uj";

static struct wattle_channel channels[CHANNELS];
static struct wtl_energy_writer *writer;
static struct wattle_page page = {.socket = -1};
static atomic_bool over, others_over;
static int counter_fd;
static volatile uint64_t sink;

static void *sample(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        uint64_t time_ns = now_ns();
        for (size_t i = 0; i < CHANNELS; i++)
            wtl_energy_page_publish(writer, i, time_ns, time_ns / 10000, 0);
    }
    return NULL;
}

static void call_clock(void)
{
    sink = now_ns();
}

static void call_page(void)
{
    struct wattle_page_now now;
    if (wattle_page_read(&page, 0, &now) == 0)
        sink = now.ticks;
}

static void call_pread(void)
{
    char text[32];
    sink = (uint64_t)pread(counter_fd, text, sizeof text, 0);
}

static double report(const char *what, void (*call)(void))
{
    static double blocks[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        uint64_t begin_ns = now_ns();
        for (int i = 0; i < CALLS; i++)
            call();
        blocks[b] = (double)(now_ns() - begin_ns) / CALLS;
    }
    struct bench_spread spread = bench_spread_of(blocks, BLOCKS);
    printf("O8  %-44s ", what);
    bench_spread_print(&spread, 1, 1, "ns");
    putchar('\n');
    return spread.median;
}

static void *read_on(void *unused)
{
    (void)unused;
    while (!atomic_load_explicit(&others_over, memory_order_relaxed))
        call_page();
    return NULL;
}

static void report_beside(int readers)
{
    pthread_t threads[READERS_MAX];
    char what[64];
    int started = 0;
    atomic_store(&others_over, false);
    while (started < readers && pthread_create(&threads[started], NULL, read_on, NULL) == 0)
        started++;
    (void)snprintf(what, sizeof what, "page, beside %d other reader%s", started,
                   started == 1 ? "" : "s");
    (void)report(what, call_page);
    atomic_store(&others_over, true);
    for (int i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}

static int open_page(void)
{
    const void *at;
    size_t size;
    bool sealed;
    for (int i = 0; i < CHANNELS; i++) {
        channels[i] = (struct wattle_channel){.domain = WATTLE_DOMAIN_CORE,
                                              .sub = i,
                                              .quantity = WATTLE_ENERGY,
                                              .kind = WATTLE_COUNTER,
                                              .scale = 61e-6,
                                              .refresh_ns = 1000000};
        (void)snprintf(channels[i].name, sizeof channels[i].name, "powercap:core-0-%d", i);
    }
    struct wtl_energy_page_options options = {.channels = channels,
                                              .count = CHANNELS,
                                              .interval_ns = 1000000,
                                              .public = true,
                                              .generation = 1};
    int rc = wtl_energy_page_open_writer(&options, &writer);
    rc = rc < 0 ? rc : wattle_page_map_(wtl_energy_page_fd(writer, &sealed), &at, &size);
    return rc < 0 ? rc : wattle_page_use_(&page, at, size);
}

int main(void)
{
    static const int beside[] = {1, 3, 15, 63};
    pthread_t sampler;
    const char *file = access(POWERCAP, R_OK) == 0 ? POWERCAP : "/proc/self/oom_score_adj";
    counter_fd = open(file, O_RDONLY | O_CLOEXEC);
    if (open_page() < 0 || counter_fd < 0 || pthread_create(&sampler, NULL, sample, NULL) != 0)
        return 1;
    (void)usleep(20000);
    printf("O8  %ld CPUs; pread is of %s\n", sysconf(_SC_NPROCESSORS_ONLN), file);
    double clock = report("clock_gettime(CLOCK_MONOTONIC)", call_clock);
    double own = report("energy from the page, one reader", call_page);
    double file_ns = report("pread of the counter's file", call_pread);
    printf("O8  page: %.2f of clock_gettime, 1/%.1f of a pread\n", own / clock, file_ns / own);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        report_beside(beside[i]);
    atomic_store(&over, true);
    (void)pthread_join(sampler, NULL);
    wattle_page_close(&page);
    wtl_energy_page_close_writer(writer);
    (void)close(counter_fd);
    return 0;
}
