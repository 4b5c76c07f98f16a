/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of known energy: a counter with 1 mJ ticks at exactly 50 W, and a temperature, sampled
 * every 10 ms from 100 s on; the window is 101 s .. 111 s; a region "solve" is 103 s .. 105 s.
 */
#ifndef WATTLE_TESTS_SAMPLE_TRACE_H
#define WATTLE_TESTS_SAMPLE_TRACE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/reader.h"
#include "trace/writer.h"

#define SAMPLE_SECOND UINT64_C(1000000000)

enum { SAMPLE_WHOLE, SAMPLE_CUT, SAMPLE_NO_END };

static struct wattle_channel sample_power_channel(void)
{
    struct wattle_channel c = {.name = "powercap:package-0",
                               .sensor = "powercap",
                               .domain = WATTLE_DOMAIN_PACKAGE,
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_PRIMARY,
                               .scale = 1e-3,
                               .refresh_ns = 1000000};
    return c;
}

static void sample_metadata(struct wtl_trace_writer *w)
{
    static const char *const pairs[][2] = {{"run.command", "./app --size 1"},
                                           {"run.target", "command"},
                                           {"run.exit_code", "3"},
                                           {"process.cpu_s", "19.5"},
                                           {"host.name", "n1"},
                                           {"own.cpu_s", "0.02"},
                                           {"sampler.interval_ns", "10000000"},
                                           {"sampler.late_p99_ns", "60000"},
                                           {"sampler.cpu", "-1"},
                                           {"work.amount", "1e9"},
                                           {"work.unit", "flop"},
                                           {"process.max_rss_bytes", "nonsense"},
                                           {"flag.THROTTLED", "it was hot"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        (void)wtl_trace_writer_meta(w, pairs[i][0], pairs[i][1]);
}

static void sample_marks(struct wtl_trace_writer *w)
{
    struct wtl_trace_process process = {.pid = 77, .rank = -1, .command = "app"};
    int p = wtl_trace_writer_process(w, &process);
    struct wtl_trace_thread thread = {.process = (uint32_t)p, .tid = 78, .name = ""};
    uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "solve");
    struct wtl_mark marks[] = {
        {.time_ns = 103 * SAMPLE_SECOND, .thread = t, .name = name, .kind = WTL_MARK_BEGIN},
        {.time_ns = 104 * SAMPLE_SECOND,
         .thread = t,
         .name = 9,
         .value = 1ull << 63,
         .kind = WTL_MARK_EVENT},
        {.time_ns = 105 * SAMPLE_SECOND, .thread = t, .name = name, .kind = WTL_MARK_END}};
    (void)wtl_trace_writer_marks(w, marks, 3);
}

/* Returns 0 or the writer's error. */
__attribute__((unused)) static int sample_trace(const char *path, int how)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel power = sample_power_channel();
    struct wattle_channel heat = {.name = "thermal:core-0",
                                  .sensor = "thermal",
                                  .domain = WATTLE_DOMAIN_CORE,
                                  .sub = -1,
                                  .quantity = WATTLE_TEMPERATURE,
                                  .kind = WATTLE_GAUGE,
                                  .scale = 1e-3};
    struct wtl_trace_writer *w;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    sample_metadata(w);
    uint32_t ids[2] = {(uint32_t)wtl_trace_writer_channel(w, &power),
                       (uint32_t)wtl_trace_writer_channel(w, &heat)};
    uint32_t fast = (uint32_t)wtl_trace_writer_group(w, &ids[0], 1, 0);
    uint32_t slow = (uint32_t)wtl_trace_writer_group(w, &ids[1], 1, 0);
    struct wtl_clock_pair pair = {100 * SAMPLE_SECOND, 100 * SAMPLE_SECOND,
                                  1700000000 * SAMPLE_SECOND};
    (void)wtl_trace_writer_origin(w, ids[0], 12345);
    (void)wtl_trace_writer_clocks(w, &pair);
    (void)wtl_trace_writer_window_begin(w, 101 * SAMPLE_SECOND);
    for (uint64_t i = 0; i <= 1200; i++) {
        uint64_t now = 100 * SAMPLE_SECOND + i * 10000000, ticks = i * 500;
        uint64_t degrees = 40000 + i;
        if (i == 601) { /* 10 ms without a value before */
            struct wtl_gap gap = {.channel = ids[0],
                                  .reason = WTL_GAP_READ_FAILED,
                                  .error = 5,
                                  .begin_ns = now - 20000000,
                                  .end_ns = now};
            (void)wtl_trace_writer_gap(w, &gap);
        }
        if (i == 1100 && how != SAMPLE_NO_END)
            (void)wtl_trace_writer_window_end(w, 111 * SAMPLE_SECOND);
        uint8_t missing = i == 600;
        (void)wtl_trace_writer_row(w, fast, now, &ticks, &missing);
        if (i % 100 == 50)
            (void)wtl_trace_writer_row(w, slow, now, &degrees, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
    sample_marks(w);
    if (how == SAMPLE_WHOLE)
        return wtl_trace_writer_finish(w, NULL);
    rc = wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    return rc;
}

#endif
