/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of tasks of so many bytes (bench_tasks_read FILE MEGABYTES, default 1000), read as activities with 256 MiB of
 * address space: what each thread did, its stays, creations. Tasks of 16 threads with numbers and times that compress
 * badly, every tenth paused and resumed on another thread. Prints results; asserts nothing.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/tasks/activity.h"
#include "bench_time.h"
#include "trace/writer.h"

enum { THREADS = 16, TYPES = 40 };

static uint64_t seed = 1;

static uint64_t noise(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int write_trace(const char *path, uint64_t bytes)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "bench"};
    struct wtl_trace_writer *writer;
    struct stat st = {0};
    uint32_t threads[THREADS], types[TYPES];
    uint64_t time_ns = 1000000, marks = 0;
    char name[16];
    if (wtl_trace_writer_create(path, &force, &writer, NULL) < 0)
        return 1;
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(writer, &process), .name = ""};
    for (uint32_t t = 0; t < THREADS; t++) {
        thread.tid = t;
        threads[t] = (uint32_t)wtl_trace_writer_thread(writer, &thread);
    }
    for (int i = 0; i < TYPES; i++) {
        (void)snprintf(name, sizeof name, "type %d", i);
        types[i] = (uint32_t)wtl_trace_writer_string(writer, name);
    }
    for (uint64_t n = 0; n % 100000 != 0 || (stat(path, &st) == 0 && (uint64_t)st.st_size < bytes);
         n++) {
        uint32_t type = types[noise() % TYPES], on = threads[noise() % THREADS];
        struct wtl_mark mark = {.thread = on, .name = type, .value = noise() >> 16 | 1};
        static const unsigned kinds[] = {WATTLE_TASK_CREATE, WATTLE_TASK_RUN, WATTLE_TASK_PAUSE,
                                         WATTLE_TASK_RUN, WATTLE_TASK_DONE};
        for (size_t k = 0; k < 5; k++) {
            bool paused = n % 10 == 0;
            if (!paused && (k == 2 || k == 3))
                continue;
            if (k == 3)
                mark.thread = threads[(on + 1) % THREADS];
            time_ns += noise() % 20000;
            mark.time_ns = time_ns;
            mark.kind = (enum wtl_mark_kind)kinds[k];
            (void)wtl_trace_writer_marks(writer, &mark, 1);
            marks++;
        }
    }
    int rc = wtl_trace_writer_finish(writer, NULL);
    (void)stat(path, &st);
    printf("%.0f MB, %.1f million marks, %.1f bytes a mark\n", (double)st.st_size / 1e6,
           (double)marks / 1e6, (double)st.st_size / (double)marks);
    return rc < 0;
}

static int read_trace(const char *path)
{
    const struct rlimit limit = {256 << 20, 256 << 20};
    const struct wtl_activity_options options = {.what = WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_STAY |
                                                         WTL_ACTIVITY_CREATED};
    struct wtl_trace_reader *reader;
    struct wtl_activities *activities;
    struct wtl_activity one;
    struct wattle_error err = {""};
    struct rusage usage;
    uint64_t count = 0, begin_ns = now_ns();
    int rc = setrlimit(RLIMIT_AS, &limit);
    rc = rc < 0 ? rc : wtl_trace_reader_open(path, &reader, &err);
    rc = rc < 0 ? rc : wtl_activities_open(reader, &options, &activities, &err);
    while (rc >= 0 && (rc = wtl_activities_next(activities, &one, &err)) > 0)
        count++;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%.1f million activities in %.1f s, peak memory %.0f MiB%s%s\n", (double)count / 1e6,
           (double)(now_ns() - begin_ns) * 1e-9, (double)usage.ru_maxrss / 1024, rc < 0 ? ": " : "",
           err.text);
    return rc < 0;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "/tmp/bench-tasks.wtl";
    int status = 0;
    if (write_trace(path, (argc > 2 ? strtoull(argv[2], NULL, 10) : 1000) * 1000000) != 0)
        return 1;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int rc = read_trace(path);
        (void)fflush(stdout);
        _exit(rc);
    }
    (void)waitpid(pid, &status, 0);
    (void)unlink(path);
    return status != 0;
}
