/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Activities from any marks: the bytes as a trace with corrected checksums, which lets blocks of tasks through, and
 * the bytes as marks in the order of time, which reaches every state of the stacks.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/tasks/activity.h"
#include "trace/writer.h"

#include "mended_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS = 4, MARK_BYTES = 4 };

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};

static void read_activities(struct wtl_trace_reader *reader,
                            const struct wtl_activity_options *options)
{
    struct wtl_activities *activities;
    struct wtl_activity one;
    uint64_t last_ns = 0, busy_ns[THREADS] = {0};
    if (wtl_activities_open(reader, options, &activities, NULL) < 0)
        return;
    while (wtl_activities_next(activities, &one, NULL) > 0) {
        if (one.end_ns < last_ns || one.begin_ns > one.end_ns)
            abort(); /* promised: the order of the ends */
        last_ns = one.end_ns;
        if (one.what != WTL_ACTIVITY_EVENT && !wtl_activities_type(activities, one.type))
            abort();
        for (size_t i = 0; i < one.counter_count; i++)
            if (!wtl_activities_counter(activities, one.counters[i].counter))
                abort();
        if (one.what != WTL_ACTIVITY_SEGMENT || one.thread >= THREADS)
            continue;
        if (one.begin_ns < busy_ns[one.thread])
            abort(); /* promised: a thread does one thing at a time */
        busy_ns[one.thread] = one.end_ns;
    }
    for (size_t i = 0; i < wtl_activities_type_count(activities); i++)
        if (!wtl_activities_type(activities, i)->name ||
            !wtl_activity_kind_name(wtl_activities_type(activities, i)->kind)[0])
            abort();
    (void)wtl_event_labels_type(wtl_activities_labels(activities), 1);
    (void)wtl_event_labels_value(wtl_activities_labels(activities), 1, 2);
    wtl_activities_close(activities);
}

static void read_file(int fd)
{
    const struct wtl_activity_options options[] = {
        {.what = 127, .by = WTL_BY_TASK},
        {.what = 127, .by = WTL_BY_REGION},
        {.what = WTL_ACTIVITY_SEGMENT, .begin_ns = 1100, .end_ns = 1400}};
    struct wtl_trace_reader *reader;
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (wtl_trace_reader_open(path, &reader, NULL) < 0)
        return;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        read_activities(reader, &options[i]);
    wtl_trace_reader_close(reader);
}

/* Four bytes give a mark: kind, thread and name, value, and how much later it is. */
static void put_marks(struct wtl_trace_writer *writer, const uint8_t *data, size_t size)
{
    static const uint8_t kinds[] = {0,  1,  2,  3,  16, 17, 17, 17, 18, 18, 19, 19, 20, 21, 21, 22,
                                    22, 23, 24, 25, 26, 32, 34, 36, 41, 42, 64, 66, 68, 73, 74, 35};
    uint32_t strings[7], threads[THREADS];
    uint64_t time_ns = 1000;
    for (size_t i = 0; i < 7; i++)
        strings[i] = (uint32_t)wtl_trace_writer_string(writer, names[i]);
    for (uint32_t t = 0; t < THREADS; t++) {
        struct wtl_trace_process process = {.pid = t, .rank = -1, .command = "p"};
        struct wtl_trace_thread thread = {.process = t / 2, .tid = t, .name = ""};
        if (t % 2 == 0)
            (void)wtl_trace_writer_process(writer, &process);
        threads[t] = (uint32_t)wtl_trace_writer_thread(writer, &thread);
    }
    for (size_t i = 0; i + MARK_BYTES <= size; i += MARK_BYTES) {
        struct wtl_mark mark = {.kind = (enum wtl_mark_kind)kinds[data[i] % sizeof kinds],
                                .thread = threads[data[i + 1] % THREADS],
                                .name = strings[data[i + 1] / THREADS % 7],
                                .value = data[i + 2]};
        if ((uint32_t)mark.kind == WATTLE_TASK_DETAIL)
            mark.name = data[i + 1] / THREADS % 16;
        time_ns += data[i + 3] % 8;
        mark.time_ns = time_ns;
        (void)wtl_trace_writer_marks(writer, &mark, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *writer;
    char path[64];
    if (size > 65536)
        return 0;
    uint8_t *copy = malloc(size + 1);
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (!copy || fd < 0)
        abort();
    memcpy(copy, data, size);
    mend_trace(copy, size);
    if (write(fd, copy, size) != (ssize_t)size)
        abort();
    read_file(fd);
    close(fd);
    free(copy);
    (void)snprintf(path, sizeof path, "/tmp/fuzz_tasks-%d.wtl", (int)getpid());
    if (wtl_trace_writer_create(path, &force, &writer, NULL) < 0)
        return 0;
    put_marks(writer, data, size);
    if (wtl_trace_writer_finish(writer, NULL) < 0)
        return 0;
    struct wtl_trace_reader *reader;
    const struct wtl_activity_options all = {.what = 127, .by = WTL_BY_REGION};
    const struct wtl_activity_options part = {.what = 127, .begin_ns = 1100, .end_ns = 1300};
    if (wtl_trace_reader_open(path, &reader, NULL) < 0)
        abort();
    (void)unlink(path);
    read_activities(reader, &all);
    read_activities(reader, &part);
    wtl_trace_reader_close(reader);
    return 0;
}
