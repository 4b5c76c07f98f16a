/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of known truth for the tests of this folder. A node of two counters and a gauge, sampled
 * with a given period; value i of channel c is a closed formula, so a reader's result can be
 * checked row by row without storing anything.
 */
#ifndef TRACE_FIXTURE_H
#define TRACE_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"
#include "trace/reader.h"
#include "trace/repair.h"
#include "trace/writer.h"

#define START_NS UINT64_C(5000000000000)

struct fixture {
    uint64_t period_ns;
    size_t rows;
    size_t missing_every; /* 0 = never; the gauge has no value in these rows */
    bool regions;
    bool tail_only; /* only one metadata key, no edges: a small file */
    bool abandon;
};

/* xorshift: reproducible */
__attribute__((unused)) static uint64_t noise(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

__attribute__((unused)) static uint64_t truth_time(const struct fixture *f, size_t row)
{
    return START_NS + row * f->period_ns + (row * 7919) % (f->period_ns / 10);
}

/* Channels 0 and 1 count 100 W and 40 W plus noise, in ticks of 61 uJ; channel 2 is a gauge in
 * uW. */
__attribute__((unused)) static uint64_t truth_value(const struct fixture *f,
                                                    unsigned channel,
                                                    size_t row)
{
    double seconds = (double)row * (double)f->period_ns * 1e-9;
    if (channel == 0)
        return (uint64_t)((100 * seconds + 3 * sin(seconds)) / 61e-6);
    if (channel == 1)
        return (uint64_t)(40 * seconds / 61e-6);
    return (uint64_t)(int64_t)(35000000 + 1000 * (int64_t)(row % 17) - 40000000 * (row == 3));
}

__attribute__((unused)) static bool truth_missing(const struct fixture *f,
                                                  unsigned channel,
                                                  size_t row)
{
    return channel == 2 && f->missing_every && row % f->missing_every == f->missing_every - 1;
}

__attribute__((unused)) static struct wattle_channel fixture_channel(const char *name,
                                                                     enum wattle_kind kind,
                                                                     enum wattle_quantity quantity,
                                                                     double scale)
{
    struct wattle_channel channel = {.sensor = "fake",
                                     .quantity = quantity,
                                     .kind = kind,
                                     .sub = -1,
                                     .scale = scale,
                                     .refresh_ns = 976000};
    (void)snprintf(channel.name, sizeof channel.name, "%s", name);
    (void)snprintf(channel.location, sizeof channel.location, "/sys/fake/%s", name);
    if (kind == WATTLE_COUNTER)
        channel.modulus = UINT64_C(1) << 32;
    return channel;
}

/* The three channels, their group (returned) and everything that belongs to it. */
__attribute__((unused)) static int fixture_begin(struct wtl_trace_writer *w,
                                                 const struct fixture *f)
{
    struct wattle_channel package =
        fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 61e-6);
    struct wattle_channel dram =
        fixture_channel("fake:dram-0", WATTLE_COUNTER, WATTLE_ENERGY, 61e-6);
    struct wattle_channel node = fixture_channel("fake:node-0", WATTLE_GAUGE, WATTLE_POWER, 1e-6);
    uint32_t ids[3];
    package.domain = WATTLE_DOMAIN_PACKAGE;
    dram.domain = WATTLE_DOMAIN_DRAM;
    package.flags = dram.flags = WATTLE_CHANNEL_PRIMARY;
    wtl_trace_writer_meta(w, "host.name", "n1");
    if (!f->tail_only) {
        wtl_trace_writer_meta(w, "run.command", "true");
        wtl_trace_writer_meta(w, "cpu.model", "Known \"Truth\" 1 \xc2\xb5W");
        wtl_trace_writer_meta(w, "run.command", "false"); /* replaces */
    }
    ids[0] = (uint32_t)wtl_trace_writer_channel(w, &package);
    ids[1] = (uint32_t)wtl_trace_writer_channel(w, &dram);
    ids[2] = (uint32_t)wtl_trace_writer_channel(w, &node);
    wtl_trace_writer_origin(w, ids[0], UINT64_C(4294967000));
    wtl_trace_writer_origin(w, ids[1], 17);
    int group = wtl_trace_writer_group(w, ids, 3, 0);
    struct wtl_clock_pair pair = {.monotonic_ns = START_NS,
                                  .boottime_ns = START_NS + 5,
                                  .realtime_ns = UINT64_C(1700000000000000000)};
    wtl_trace_writer_clocks(w, &pair);
    return group;
}

__attribute__((unused)) static void fixture_row(struct wtl_trace_writer *w,
                                                const struct fixture *f,
                                                int group,
                                                size_t row)
{
    uint64_t values[3];
    uint8_t missing[3];
    for (unsigned c = 0; c < 3; c++) {
        values[c] = truth_value(f, c, row);
        missing[c] = truth_missing(f, c, row);
    }
    if (f->missing_every && row % f->missing_every == f->missing_every - 1) {
        struct wtl_gap gap = {.channel = 2,
                              .reason = WTL_GAP_READ_FAILED,
                              .error = EIO,
                              .begin_ns = truth_time(f, row - 1),
                              .end_ns = truth_time(f, row + 1)};
        wtl_trace_writer_gap(w, &gap);
    }
    wtl_trace_writer_row(w, (uint32_t)group, truth_time(f, row), values, missing);
}

/* Marks of two threads: "outer" and "inner" on one, "other" on the other. */
__attribute__((unused)) static void fixture_marks(struct wtl_trace_writer *w,
                                                  const struct fixture *f)
{
    struct wtl_trace_process process = {
        .pid = 100, .rank = -1, .start_ns = START_NS, .command = "./a.out"};
    uint32_t p = (uint32_t)wtl_trace_writer_process(w, &process);
    struct wtl_trace_thread thread = {.process = p, .tid = 100, .name = "main"};
    uint32_t t0 = (uint32_t)wtl_trace_writer_thread(w, &thread);
    thread.tid = 101;
    thread.name = "";
    uint32_t t1 = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t outer = (uint32_t)wtl_trace_writer_string(w, "outer");
    uint32_t inner = (uint32_t)wtl_trace_writer_string(w, "inner");
    uint32_t other = (uint32_t)wtl_trace_writer_string(w, "other");
    uint64_t span = f->rows * f->period_ns;
    struct wtl_mark marks[] = {
        {.time_ns = START_NS + span / 10, .thread = t0, .name = outer, .kind = WTL_MARK_BEGIN},
        {.time_ns = START_NS + span / 5, .thread = t0, .name = inner, .kind = WTL_MARK_BEGIN},
        {.time_ns = START_NS + span / 4,
         .thread = t0,
         .name = 7,
         .value = 42,
         .kind = WTL_MARK_EVENT},
        {.time_ns = START_NS + span / 3, .thread = t0, .name = inner, .kind = WTL_MARK_END},
        {.time_ns = START_NS + span / 2, .thread = t0, .name = outer, .kind = WTL_MARK_END},
        {.time_ns = START_NS + span / 8, .thread = t1, .name = other, .kind = WTL_MARK_BEGIN},
        {.time_ns = START_NS + span / 4, .thread = t1, .name = other, .kind = WTL_MARK_END},
        {.time_ns = START_NS + span / 2, .thread = t1, .kind = WTL_MARK_THREAD_END},
    };
    wtl_trace_writer_marks(w, marks, sizeof marks / sizeof *marks);
}

/* Write a complete trace. Returns the error of creating it, else that of finishing. */
__attribute__((unused)) static int fixture_write(const char *path, const struct fixture *f)
{
    static const struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    int code = wtl_trace_writer_create(path, &force, &w, NULL);
    if (code < 0)
        return code;
    int group = fixture_begin(w, f);
    wtl_trace_writer_window_begin(w, truth_time(f, 2) + 1);
    for (size_t row = 0; row < f->rows; row++) {
        if (row == f->rows - 2)
            wtl_trace_writer_window_end(w, truth_time(f, row) - 1);
        fixture_row(w, f, group, row);
        wtl_trace_writer_poll(w, truth_time(f, row));
    }
    if (f->regions)
        fixture_marks(w, f);
    if (f->abandon) {
        wtl_trace_writer_flush(w);
        wtl_trace_writer_abandon(w);
        return 0;
    }
    return wtl_trace_writer_finish(w, NULL);
}

__attribute__((unused)) static uint8_t *slurp(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    struct stat status;
    fstat(fileno(file), &status);
    uint8_t *data = malloc((size_t)status.st_size + 1);
    *ret_size = fread(data, 1, (size_t)status.st_size, file);
    fclose(file);
    return data;
}

__attribute__((unused)) static void spill(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    fwrite(data, 1, size, file);
    fclose(file);
}

/* Read everything; returns the number of correct rows, and counts wrong ones. */
struct reading {
    size_t right, wrong, chunks;
    int error;
};

__attribute__((unused)) static struct reading read_rows(struct wtl_trace_reader *r,
                                                        const struct fixture *f)
{
    struct reading result = {0};
    struct wtl_trace_range range = {.end_ns = UINT64_MAX};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    result.error = wtl_trace_samples_open(r, &range, &samples, NULL);
    if (result.error < 0)
        return result;
    while ((result.error = wtl_trace_samples_next(samples, &chunk, NULL)) > 0) {
        result.chunks++;
        for (size_t i = 0; i < chunk.rows; i++) {
            size_t row = (size_t)((chunk.time_ns[i] - START_NS) / f->period_ns);
            bool good = chunk.time_ns[i] == truth_time(f, row);
            for (size_t c = 0; c < chunk.column_count; c++) {
                const struct wtl_trace_column *column = &chunk.columns[c];
                bool missing = column->missing && column->missing[i];
                good &= missing == truth_missing(f, column->channel, row) &&
                        (missing || column->values[i] == truth_value(f, column->channel, row));
            }
            result.right += good;
            result.wrong += !good;
        }
    }
    wtl_trace_samples_close(samples);
    return result;
}

#endif
