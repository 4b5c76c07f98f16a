/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of the nodes of a run, of known energy: node k has package and dram counters with 1 mJ
 * ticks at exactly `package_w` and `dram_w`, rows every 10 ms from 1 s before the window to 1 s
 * after it, and a region "solve" in the second fifth of the window. Its clock started `boot_ns` of
 * reference time ago.
 */
#ifndef WATTLE_TESTS_RUN_TRACES_H
#define WATTLE_TESTS_RUN_TRACES_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/writer.h"

#define RUN_SECOND UINT64_C(1000000000)
/* Reference time of the window's begin; also its wall clock. */
#define RUN_EPOCH (UINT64_C(1700000000) * RUN_SECOND)

struct run_trace {
    const char *path, *node, *key, *run_id, *nodes, *groups; /* NULL = not recorded */
    double package_w, dram_w;
    uint64_t monotonic_ns; /* the node's clock when the reference clock is at RUN_EPOCH */
    uint64_t late_ns;      /* delay of its window's begin */
    uint64_t seconds;      /* length of the window */
    int64_t strays_ns;     /* recorded end minus true end */
    int sync;              /* points with an error of 500 ns: 1 = both ends, 2 = begin */
    int no_wall;           /* no clock pairs */
    int no_interval;       /* without its sampling interval */
    int estimated;         /* both channels are estimates */
    int cut;               /* no footer */
    int bare;              /* no samples */
    int stalled;           /* its package counter stalls during the second second of the window */
    int regions;           /* number of extra regions, "r0" .., within the one */
    int empty;             /* cut off before its window and its first sample */
    double psys_w; /* contains the package, of which the cores draw a quarter; 0 = neither exists */
    int rank;      /* rank of its process; -1 = none */
};

static uint32_t run_channel(struct wtl_trace_writer *w,
                            const char *name,
                            const char *within,
                            enum wattle_domain domain,
                            int estimated)
{
    struct wattle_channel c = {.sensor = "powercap",
                               .domain = domain,
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_PRIMARY,
                               .scale = 1e-3,
                               .refresh_ns = 1000000};
    (void)snprintf(c.name, sizeof c.name, "%s", name);
    (void)snprintf(c.within, sizeof c.within, "%s", within);
    if (estimated) {
        c.quality = WATTLE_ESTIMATED;
        c.ratio_low = 0.5;
        c.ratio_high = 2;
    }
    return (uint32_t)wtl_trace_writer_channel(w, &c);
}

static void run_metadata(struct wtl_trace_writer *w, const struct run_trace *t)
{
    const char *const pairs[][2] = {
        {"node.name", t->node},    {"node.key", t->key},
        {"run.id", t->run_id},     {"job.nodes", t->nodes},
        {"run.groups", t->groups}, {"host.name", t->node},
        {"run.command", "./app"},  {"sampler.interval_ns", t->no_interval ? NULL : "10000000"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][1])
            (void)wtl_trace_writer_meta(w, pairs[i][0], pairs[i][1]);
    for (uint64_t n = 0; t->sync && n < (t->sync == 2 ? 1 : 2); n++) {
        char key[32], text[32];
        uint64_t at = t->monotonic_ns + n * t->seconds * RUN_SECOND;
        (void)snprintf(key, sizeof key, "sync.%d.time_ns", (int)n);
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)at);
        (void)wtl_trace_writer_meta(w, key, text);
        (void)snprintf(key, sizeof key, "sync.%d.offset_ns", (int)n);
        (void)snprintf(text, sizeof text, "%lld", (long long)(RUN_EPOCH - t->monotonic_ns));
        (void)wtl_trace_writer_meta(w, key, text);
        (void)snprintf(key, sizeof key, "sync.%d.error_ns", (int)n);
        (void)wtl_trace_writer_meta(w, key, "500");
        (void)snprintf(key, sizeof key, "sync.%d.reference", (int)n);
        (void)wtl_trace_writer_meta(w, key, "00000000000000aa");
    }
}

static void run_marks(struct wtl_trace_writer *w, const struct run_trace *t, uint64_t begin_ns)
{
    struct wtl_trace_process process = {.pid = 77, .rank = t->rank, .command = "app"};
    int p = wtl_trace_writer_process(w, &process);
    struct wtl_trace_thread thread = {.process = (uint32_t)p, .tid = 78, .name = ""};
    uint32_t id = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "solve");
    uint64_t fifth = t->seconds * RUN_SECOND / 5;
    struct wtl_mark marks[] = {
        {.time_ns = begin_ns + fifth, .thread = id, .name = name, .kind = WTL_MARK_BEGIN},
        {.time_ns = begin_ns + 2 * fifth, .thread = id, .name = name, .kind = WTL_MARK_END}};
    (void)wtl_trace_writer_marks(w, marks, 1);
    for (int i = 0; i < t->regions; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "r%d", i);
        uint32_t inner = (uint32_t)wtl_trace_writer_string(w, text);
        struct wtl_mark both[] = {marks[0], marks[1]};
        both[0].name = both[1].name = inner;
        both[0].time_ns += (uint64_t)(i + 1) * 1000000; /* one after the other */
        both[1].time_ns = both[0].time_ns + 900000;
        (void)wtl_trace_writer_marks(w, both, 2);
    }
    (void)wtl_trace_writer_marks(w, &marks[1], 1);
}

/* Returns 0 or the writer's error. */
__attribute__((unused)) static int run_trace_write(const struct run_trace *t)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(t->path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    run_metadata(w, t);
    const char *around = t->psys_w > 0 ? "powercap:psys-0" : "";
    uint32_t channels = t->psys_w > 0 ? 4 : 2;
    uint32_t ids[4] = {
        run_channel(w, "powercap:package-0", around, WATTLE_DOMAIN_PACKAGE, t->estimated),
        run_channel(w, "powercap:dram-0", "", WATTLE_DOMAIN_DRAM, t->estimated)};
    if (t->psys_w > 0) {
        ids[2] = run_channel(w, "powercap:psys-0", "", WATTLE_DOMAIN_PSYS, t->estimated);
        ids[3] = run_channel(w, "powercap:core-0", "powercap:package-0", WATTLE_DOMAIN_CORE,
                             t->estimated);
    }
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, channels, 0);
    uint64_t begin = t->monotonic_ns + t->late_ns, first = begin - RUN_SECOND;
    uint64_t rows = (t->seconds + 2) * 100;
    struct wtl_clock_pair pair = {first, first, RUN_EPOCH + t->late_ns - RUN_SECOND};
    if (!t->no_wall)
        (void)wtl_trace_writer_clocks(w, &pair);
    if (!t->empty)
        (void)wtl_trace_writer_window_begin(w, begin);
    for (uint64_t i = 0; !t->empty && i <= rows; i++) {
        uint64_t now = first + i * 10000000;
        uint64_t values[4] = {
            (uint64_t)(t->package_w * 10 * (double)i), (uint64_t)(t->dram_w * 10 * (double)i),
            (uint64_t)(t->psys_w * 10 * (double)i), (uint64_t)(t->package_w * 10 / 4 * (double)i)};
        if (t->stalled && i >= 200)
            values[0] = (uint64_t)(t->package_w * 10 * (double)(i < 300 ? 200 : i - 100));
        if (t->stalled && i == 300)
            (void)wtl_trace_writer_gap(w, &(struct wtl_gap){.channel = ids[0],
                                                            .reason = WTL_GAP_STALLED,
                                                            .begin_ns = first + 2 * RUN_SECOND,
                                                            .end_ns = now});
        if (i == (t->seconds + 1) * 100)
            (void)wtl_trace_writer_window_end(w, begin + t->seconds * RUN_SECOND +
                                                     (uint64_t)t->strays_ns);
        if (!t->bare)
            (void)wtl_trace_writer_row(w, group, now, values, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
    if (!t->empty)
        run_marks(w, t, begin);
    if (!t->cut && !t->empty)
        return wtl_trace_writer_finish(w, NULL);
    rc = wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    return rc;
}

#endif
