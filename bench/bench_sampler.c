/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of sampling. O2: one collection without the reads themselves (in-memory source, compared
 * with bare reads). O1: CPU of all of wattle's threads at 1 kHz by number of channels, with one
 * perf group read and with one pread of a real sysfs file each; lateness. O3: private memory of a
 * session with its trace, and its growth over 10^7 samples. Prints results; asserts nothing.
 *
 *     bench_sampler [SECONDS]       of each O1 run; default 5
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench_source.h"
#include "bench_spread.h"
#include "record/lane.h"
#include "record/session.h"

static struct wtl_selection *select_driver(const struct wtl_driver *driver, size_t channels)
{
    static const struct wtl_driver *list[2];
    struct wtl_selection *selection;
    struct wattle_error err;
    list[0] = driver;
    bench_channels = channels;
    struct wtl_request request = {.drivers = list};
    if (wtl_selection_open(&request, wtl_world_real(), &selection, &err) < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return selection;
}

/* O2: collect against bare reads, in interleaved blocks of 1000. */
static void cost_of_collection(size_t channels)
{
    enum { BLOCKS = 301, CALLS = 1000 };
    const struct wtl_world *world = wtl_world_real();
    struct wtl_selection *selection = select_driver(&bench_memory, channels);
    struct wtl_source *source = selection->picks[0].source;
    struct wtl_batch runs[2];
    struct wtl_lane lane = {.world = world, .interval_ns = 1000000, .runs = runs};
    for (size_t at = 0; at < channels; at += WTL_RUN_MAX)
        runs[lane.run_count++] =
            (struct wtl_batch){.source = source,
                               .first = at,
                               .channel = at,
                               .n = channels - at < WTL_RUN_MAX ? channels - at : WTL_RUN_MAX};
    static double with[BLOCKS], bare[BLOCKS];
    struct wattle_reading readings[64];
    uint64_t record[WTL_RECORD_WORDS];
    if (wtl_lane_init(&lane) < 0)
        exit(1);
    for (size_t block = 0; block < BLOCKS; block++) {
        uint64_t spent = 0;
        for (size_t i = 0; i < CALLS; i += 50) {
            uint64_t begin = wtl_world_monotonic(world);
            for (size_t k = 0; k < 50; k++)
                wtl_lane_collect(&lane);
            spent += wtl_world_monotonic(world) - begin;
            while (wtl_ring_pop(&lane.ring, record, WTL_RECORD_WORDS) > 0)
                continue;
        }
        with[block] = (double)spent / CALLS;
        uint64_t begin = wtl_world_monotonic(world);
        for (size_t i = 0; i < CALLS; i++)
            source->driver->read(source, 0, channels, readings);
        bare[block] = (double)(wtl_world_monotonic(world) - begin) / CALLS;
    }
    struct bench_spread a = bench_spread_of(with, BLOCKS), b = bench_spread_of(bare, BLOCKS);
    printf("O2  %2zu channels: collection ", channels);
    bench_spread_print(&a, 1, 1, "ns");
    printf(", bare reads ");
    bench_spread_print(&b, 1, 1, "ns");
    printf(", own %6.1f ns, of means %.1f\n", a.median - b.median, a.mean - b.mean);
    wtl_lane_fini(&lane);
    wtl_selection_close(selection);
}

static uint64_t private_kb(void)
{
    char line[256];
    unsigned long kb = 0, sum = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "Private_Dirty", 13) == 0 && colon) {
            kb = strtoul(colon + 1, NULL, 10);
            sum += kb;
        }
    }
    if (f)
        (void)fclose(f);
    return sum;
}

static struct wtl_session *start(struct wtl_selection *selection, struct wtl_trace_writer *writer)
{
    struct wattle_error err;
    struct wtl_session *session;
    struct wtl_session_options options = {.world = wtl_world_real(),
                                          .selection = selection,
                                          .writer = writer,
                                          .interval_ns = 1000000,
                                          .sampler_cpu = WTL_SAMPLER_CPU_AUTO};
    if (wtl_session_create(&options, &session, &err) < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    wtl_session_prepare(session);
    wtl_session_begin(session, wtl_world_monotonic(wtl_world_real()));
    return session;
}

/* O1: a session at 1 kHz with its trace. */
static double cost_of_sampling(const struct wtl_driver *driver, size_t channels, double seconds)
{
    const struct wtl_world *world = wtl_world_real();
    char path[] = "/tmp/bench-sampler-XXXXXX";
    struct wattle_error err;
    struct wtl_trace_writer *writer = NULL;
    struct wtl_trace_options trace = {.force = true};
    struct wtl_session_stats stats;
    int fd = mkstemp(path);
    if (fd < 0 || wtl_trace_writer_create(path, &trace, &writer, &err) < 0)
        exit(1);
    struct wtl_selection *selection = select_driver(driver, channels);
    uint64_t begin = wtl_world_monotonic(world);
    struct wtl_session *session = start(selection, writer);
    usleep((useconds_t)(seconds * 1e6));
    wtl_session_end(session, wtl_world_monotonic(world));
    double took = (double)(wtl_world_monotonic(world) - begin) * 1e-9;
    wtl_session_stats(session, &stats);
    struct wtl_trace_writer_status status;
    (void)wtl_trace_writer_flush(writer);
    wtl_trace_writer_status(writer, &status);
    double percent = (double)stats.cpu_ns * 1e-7 / took;
    printf(
        "O1  %-6s %2zu channels at 1 kHz: %5.3f %% of a core; late p50 %.1f p99 %.1f max %.0f us; "
        "missed %llu of %llu; %.2f B per sample\n",
        driver->name, channels, percent, (double)stats.late_p50_ns * 1e-3,
        (double)stats.late_p99_ns * 1e-3, (double)stats.late_max_ns * 1e-3,
        (unsigned long long)stats.missed, (unsigned long long)stats.collections,
        (double)status.bytes / (double)(status.rows * channels));
    wtl_session_destroy(session);
    wtl_trace_writer_abandon(writer);
    wtl_selection_close(selection);
    (void)close(fd);
    (void)unlink(path);
    return percent;
}

struct bare_loop {
    double seconds;
    uint64_t cpu_ns;
};

/* The cost of waking up a thousand times a second, without reading or storing anything. */
static void *bare_loop(void *arg)
{
    struct bare_loop *bare = arg;
    const struct wtl_world *world = wtl_world_real();
    (void)prctl(PR_SET_TIMERSLACK, 1ul);
    uint64_t next_ns = wtl_world_monotonic(world);
    uint64_t end_ns = next_ns + (uint64_t)(bare->seconds * 1e9);
    for (; next_ns < end_ns; next_ns += 1000000)
        (void)world->ops->sleep_until(world, next_ns);
    bare->cpu_ns = world->ops->now_ns(world, CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static double cost_of_waking(double seconds)
{
    struct bare_loop bare = {.seconds = seconds};
    pthread_t thread;
    if (pthread_create(&thread, NULL, bare_loop, &bare) != 0)
        exit(1);
    (void)pthread_join(thread, NULL);
    return (double)bare.cpu_ns * 1e-7 / seconds;
}

/* O3: memory of a session with its trace; growth while rows are produced as fast as possible. */
static void memory(void)
{
    const struct wtl_world *world = wtl_world_real();
    char path[] = "/tmp/bench-sampler-XXXXXX";
    struct wattle_error err;
    struct wtl_trace_writer *writer = NULL;
    struct wtl_trace_options trace = {.force = true};
    int fd = mkstemp(path);
    uint64_t before_kb = private_kb();
    struct wtl_selection *selection = select_driver(&bench_memory, 8);
    if (fd < 0 || wtl_trace_writer_create(path, &trace, &writer, &err) < 0)
        exit(1);
    struct wtl_session *session = start(selection, writer);
    usleep(3000000);
    uint64_t after_kb = private_kb();
    printf("O3  private (dirty) memory of a session at 1 kHz x 8 with its trace: %llu kB\n",
           (unsigned long long)(after_kb - before_kb));
    wtl_session_end(session, wtl_world_monotonic(world));
    uint64_t values[8] = {0}, time_ns = wtl_world_monotonic(world) + 1000000;
    uint64_t at_million_kb = 0;
    for (unsigned i = 0; i < 1250000; i++) {
        for (unsigned c = 0; c < 8; c++)
            values[c] += 1600 + (i * (c + 7) >> 3 & 63);
        (void)wtl_trace_writer_row(writer, 0, time_ns, values, NULL);
        time_ns += 1000000 + (i & 1023);
        if (i == 125000)
            at_million_kb = private_kb();
    }
    printf("O3  growth from 10^6 to 10^7 samples: %lld kB\n",
           (long long)private_kb() - (long long)at_million_kb);
    wtl_session_destroy(session);
    wtl_trace_writer_abandon(writer);
    wtl_selection_close(selection);
    (void)close(fd);
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 5;
    static const size_t counts[] = {1, 8, 32, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cost_of_collection(counts[i]);
    memory();
    const struct wtl_driver *drivers[] = {&bench_memory, &bench_group, &bench_pread};
    for (size_t d = 0; d < 3; d++) {
        double bare = cost_of_waking(seconds);
        double one = cost_of_sampling(drivers[d], 1, seconds);
        double eight = cost_of_sampling(drivers[d], 8, seconds);
        double many = cost_of_sampling(drivers[d], 32, seconds);
        printf("O1  %-6s a bare loop that only wakes: %.3f %%; 8 channels are x%.2f of it\n",
               drivers[d]->name, bare, eight / bare);
        printf("O1  %-6s slope %.2f us per channel and sample (1 to 8: %.2f)\n", drivers[d]->name,
               (many - one) * 10 / 31, (eight - one) * 10 / 7);
    }
    return 0;
}
