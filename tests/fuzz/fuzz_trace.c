/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace reader and repair on any bytes. Each input is read unchanged, which exercises the handling of damage, and
 * again with corrected headers and checksums, which lets the payloads through to the decoders; then as a growing file,
 * and repaired with marks left next to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/blocks/block.h"
#include "trace/reader.h"
#include "trace/repair.h"
#include "trace/writer.h"

#include "mended_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns their sum, so that every value is used. */
static uint64_t read_samples(struct wtl_trace_reader *reader, uint64_t begin_ns, uint64_t end_ns)
{
    struct wtl_trace_range range = {.begin_ns = begin_ns, .end_ns = end_ns};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    uint64_t sum = 0;
    if (wtl_trace_samples_open(reader, &range, &samples, NULL) < 0)
        return 0;
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0)
        for (size_t c = 0; c < chunk.column_count; c++)
            for (size_t r = 0; r < chunk.rows; r++)
                sum += chunk.columns[c].values[r];
    wtl_trace_samples_close(samples);
    return sum;
}

static void read_marks(struct wtl_trace_reader *reader)
{
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    uint64_t last_ns = 0;
    if (wtl_trace_marks_open_of(reader, WTL_MARKS_ALL, WTL_ALL_THREADS, &marks, NULL) < 0)
        return;
    while (wtl_trace_marks_next(marks, &mark, NULL) > 0) {
        if (mark.time_ns < last_ns)
            abort(); /* promised: the order of time */
        last_ns = mark.time_ns;
    }
    wtl_trace_marks_close(marks);
}

/* Every table by index, including beyond its end. Returns the number of entries. */
static size_t read_tables(struct wtl_trace_reader *reader)
{
    struct wtl_trace_window window;
    const struct wtl_clock_pair *pairs;
    const char *key, *value;
    uint64_t realtime_ns;
    size_t seen = wtl_trace_reader_clocks(reader, &pairs);
    for (size_t i = 0; wtl_trace_reader_meta_at(reader, i, &key, &value) == 0; i++) {
        const char *found = wtl_trace_reader_meta(reader, key);
        if (!found || strcmp(found, value) != 0)
            abort(); /* promised: each key once */
    }
    for (size_t i = 0; i <= wtl_trace_reader_process_count(reader); i++)
        seen += wtl_trace_reader_process(reader, i) != NULL;
    for (size_t i = 0; i <= wtl_trace_reader_thread_count(reader); i++)
        seen += wtl_trace_reader_thread(reader, i) != NULL;
    for (size_t i = 0; i <= wtl_trace_reader_group_count(reader); i++)
        seen += wtl_trace_reader_group(reader, i) != NULL;
    for (size_t i = 0; i <= wtl_trace_reader_channel_count(reader); i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, i);
        if (channel && wtl_trace_reader_find_channel(reader, channel->channel.name) < 0)
            abort();
    }
    wtl_trace_reader_window(reader, &window);
    return seen + (wtl_trace_reader_realtime(reader, window.start_monotonic_ns, &realtime_ns) == 0);
}

static void read_all(const char *path)
{
    struct wtl_trace_reader *reader;
    struct wattle_error err;
    const struct wtl_gap *gaps;
    const struct wtl_region_summary *regions;
    if (wtl_trace_reader_open(path, &reader, &err) < 0)
        return;
    uint64_t first_ns = 0, last_ns = UINT64_MAX;
    (void)wtl_trace_reader_span(reader, &first_ns, &last_ns);
    uint64_t all_of_it = read_samples(reader, 0, UINT64_MAX);
    if (all_of_it != read_samples(reader, 0, UINT64_MAX))
        abort(); /* reading twice gives the same */
    (void)read_samples(reader, first_ns + (last_ns - first_ns) / 3,
                       last_ns - (last_ns - first_ns) / 3);
    (void)wtl_trace_reader_tables(reader, &err);
    (void)wtl_trace_reader_gaps(reader, &gaps, &err);
    (void)wtl_trace_reader_regions(reader, &regions, &err);
    for (uint32_t c = 0; c < wtl_trace_reader_channel_count(reader); c++) {
        struct wtl_summary summary;
        struct wtl_trace_range all = {.end_ns = UINT64_MAX};
        struct wtl_power_point *points = NULL;
        (void)wtl_trace_reader_summary(reader, c, &summary, &err);
        if (wtl_trace_reader_power(reader, c, &all, c * 7, &points, NULL, &err) >= 0)
            free(points);
    }
    read_marks(reader);
    (void)read_tables(reader);
    wtl_trace_reader_close(reader);
}

/* A file of which a part exists, then all: rows that were read are not read again. */
static void follow(const uint8_t *data, size_t size)
{
    struct wtl_trace_range range = {.end_ns = UINT64_MAX};
    struct wtl_trace_reader *reader;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    struct wtl_summary summary;
    char path[64];
    size_t part = size / 2, last = 0;
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, part) != (ssize_t)part)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (wtl_trace_reader_open(path, &reader, NULL) == 0) {
        if (wtl_trace_samples_open(reader, &range, &samples, NULL) < 0)
            abort();
        for (int look = 0; look < 2; look++) {
            while (wtl_trace_samples_next(samples, &chunk, NULL) > 0) {
                if (chunk.block <= last)
                    abort();
                last = chunk.block;
            }
            (void)wtl_trace_reader_summary(reader, 0, &summary, NULL);
            if (write(fd, data + part, size - part) != (ssize_t)(size - part))
                abort();
            part = size;
            (void)wtl_trace_reader_refresh(reader, NULL);
        }
        wtl_trace_samples_close(samples);
        wtl_trace_reader_close(reader);
    }
    close(fd);
}

/* What a process left next to the trace. */
static int fill(void *context, struct wtl_trace_reader *reader, struct wtl_trace_writer *writer)
{
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "left"};
    struct wtl_trace_thread thread = {.name = ""};
    (void)context;
    int id = wtl_trace_writer_process(writer, &process);
    if (id < 0 || (size_t)id != wtl_trace_reader_process_count(reader))
        abort(); /* promised: numbers are consecutive */
    thread.process = (uint32_t)id;
    struct wtl_mark mark = {.time_ns = 1000,
                            .thread = (uint32_t)wtl_trace_writer_thread(writer, &thread),
                            .name = (uint32_t)wtl_trace_writer_string(writer, "left")};
    for (int i = 0; i < 4; i++) {
        mark.kind = i % 2 ? WTL_MARK_END : WTL_MARK_BEGIN;
        mark.time_ns += 1000;
        if (wtl_trace_writer_marks(writer, &mark, 1) < 0)
            return -EIO;
    }
    return 0;
}

static void run(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_all(path);
    struct wtl_trace_repair report;
    if (wtl_trace_repair_with(path, size % 2 ? fill : NULL, NULL, &report, NULL) == 0 &&
        !report.had_footer) {
        struct wtl_trace_repair again;
        if (wtl_trace_repair(path, &again, NULL) < 0 || !again.had_footer)
            abort(); /* promised: repaired is complete */
        read_all(path);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536)
        return 0;
    run(data, size);
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    mend_trace(copy, size);
    run(copy, size);
    follow(copy, size);
    free(copy);
    return 0;
}
