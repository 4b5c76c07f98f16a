/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads did, from marks whose truth is known: stacks, pauses, missing ends, counters, messages. */
#define _GNU_SOURCE
#include <unistd.h>

#include "analysis/tasks/activity.h"
#include "tap.h"
#include "trace/writer.h"

static struct wtl_trace_writer *writer;
static uint32_t threads[3]; /* 0 and 2 are of one process */

static uint32_t text(const char *name)
{
    return name ? (uint32_t)wtl_trace_writer_string(writer, name) : 0;
}

static void mark(int thread, uint64_t ns, unsigned kind, const char *name, uint64_t value)
{
    struct wtl_mark one = {.time_ns = 1000 + ns,
                           .thread = threads[thread],
                           .name = text(name),
                           .value = value,
                           .kind = (enum wtl_mark_kind)kind};
    is_int(wtl_trace_writer_marks(writer, &one, 1), 0, "a mark");
}

static void detail(int thread, uint64_t ns, unsigned key, uint64_t value)
{
    struct wtl_mark one = {.time_ns = 1000 + ns,
                           .thread = threads[thread],
                           .name = key,
                           .value = value,
                           .kind = (enum wtl_mark_kind)WATTLE_TASK_DETAIL};
    is_int(wtl_trace_writer_marks(writer, &one, 1), 0, "a detail");
}

static void begin(void)
{
    struct wtl_trace_options force = {.force = true};
    wtl_trace_writer_create("activity.wtl", &force, &writer, NULL);
    for (uint32_t p = 0; p < 2; p++) {
        struct wtl_trace_process process = {.pid = 10 + p, .rank = (int)p, .command = "a"};
        struct wtl_trace_thread thread = {.name = "t"};
        thread.process = (uint32_t)wtl_trace_writer_process(writer, &process);
        threads[p] = (uint32_t)wtl_trace_writer_thread(writer, &thread);
        thread.tid = 1;
        if (p == 0)
            threads[2] = (uint32_t)wtl_trace_writer_thread(writer, &thread);
    }
}

/* All activities as lines. */
static char said[16384];

static void say(const struct wtl_activities *a, const struct wtl_activity *one)
{
    static const char *const flags[] = {"cut", "resumed", "paused", "received"};
    char line[256];
    const char *what = one->what == WTL_ACTIVITY_SEGMENT   ? "segment"
                       : one->what == WTL_ACTIVITY_STAY    ? "stay"
                       : one->what == WTL_ACTIVITY_CREATED ? "created"
                       : one->what == WTL_ACTIVITY_EDGE    ? "edge"
                       : one->what == WTL_ACTIVITY_MESSAGE ? "message"
                       : one->what == WTL_ACTIVITY_EVENT   ? "event"
                                                           : "bin";
    const struct wtl_activity_type *type = wtl_activities_type(a, one->type);
    int n = snprintf(line, sizeof line, "%s t%u %llu-%llu %s %s %llu", what, one->thread,
                     (unsigned long long)one->begin_ns - 1000,
                     (unsigned long long)one->end_ns - 1000, wtl_activity_kind_name(one->kind),
                     type ? type->name : "", (unsigned long long)one->task);
    if (one->other || one->bytes)
        n += snprintf(line + n, sizeof line - (size_t)n, " other %llu bytes %llu",
                      (unsigned long long)one->other, (unsigned long long)one->bytes);
    if (one->peer >= 0)
        n += snprintf(line + n, sizeof line - (size_t)n, " peer %lld", (long long)one->peer);
    for (unsigned f = 0; f < 4; f++)
        if (one->flags >> f & 1)
            n += snprintf(line + n, sizeof line - (size_t)n, " %s", flags[f]);
    for (size_t c = 0; c < one->counter_count; c++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %s=%llu",
                      wtl_activities_counter(a, one->counters[c].counter),
                      (unsigned long long)one->counters[c].value);
    strcat(strcat(said, line), "\n");
}

static struct wtl_activity_faults faults;

static void read_all(unsigned what, enum wtl_activity_by by, uint64_t from, uint64_t to)
{
    struct wtl_trace_reader *reader;
    struct wtl_activities *a;
    struct wtl_activity one;
    struct wtl_activity_options options = {
        .what = what, .by = by, .begin_ns = from ? 1000 + from : 0, .end_ns = to ? 1000 + to : 0};
    struct wattle_error err = {""};
    uint64_t last = 0;
    int backwards = 0, rc;
    said[0] = '\0';
    is_int(wtl_trace_reader_open("activity.wtl", &reader, &err), 0, "opens %s", err.text);
    ok(wtl_activities_present(reader), "has tasks");
    is_int(wtl_activities_open(reader, &options, &a, &err), 0, "activities %s", err.text);
    while ((rc = wtl_activities_next(a, &one, &err)) > 0) {
        if (one.what != WTL_ACTIVITY_BIN) {
            backwards += one.end_ns < last;
            last = one.end_ns;
        }
        say(a, &one);
    }
    is_int(rc, 0, "to the end %s", err.text);
    is_int(backwards, 0, "in the order of the ends");
    faults = *wtl_activities_faults(a);
    wtl_activities_close(a);
    wtl_trace_reader_close(reader);
}

/* Two tasks on two threads; one is paused in a wait, moves and takes the wait along. */
static void check_tasks(void)
{
    begin();
    mark(0, 0, WATTLE_STATE_ENTER + WATTLE_STATE_PARALLEL, "p", 7);
    mark(0, 10, WATTLE_TASK_CREATE, "dgemm", 1);
    mark(0, 20, WATTLE_TASK_RUN, "dgemm", 1);
    mark(0, 30, WATTLE_TASK_CREATE, "trsm", 2);
    mark(0, 31, WATTLE_TASK_AFTER, "trsm", 2);
    detail(0, 31, WATTLE_TASK_KEY_TASK, 1);
    mark(0, 40, WATTLE_STATE_ENTER + WATTLE_STATE_SYNC, "wait", 0);
    mark(0, 50, WATTLE_TASK_PAUSE, "dgemm", 1);
    mark(0, 50, WATTLE_TASK_RUN, "trsm", 2);
    mark(2, 60, WATTLE_TASK_RUN, "dgemm", 1);
    mark(2, 70, WATTLE_STATE_LEAVE + WATTLE_STATE_SYNC, "wait", 0);
    mark(0, 80, WATTLE_TASK_DONE, "trsm", 2);
    mark(2, 90, WATTLE_TASK_DONE, "dgemm", 1);
    mark(0, 100, WATTLE_STATE_LEAVE + WATTLE_STATE_PARALLEL, "p", 7);
    mark(0, 110, WATTLE_TASK_DONE, "dgemm", 99);
    is_int(wtl_trace_writer_finish(writer, NULL), 0, "written");
    read_all(WTL_ACTIVITY_SEGMENT, WTL_BY_TASK, 0, 0);
    is_str(said,
           "segment t0 0-20 parallel p 7\n"
           "segment t0 20-40 task dgemm 1\n"
           "segment t0 40-50 barrier wait 0\n"
           "segment t1 60-70 barrier wait 0 resumed\n"
           "segment t0 50-80 task trsm 2\n"
           "segment t1 70-90 task dgemm 1 resumed\n"
           "segment t0 80-100 parallel p 7\n",
           "what was on top");
    is_int(faults.begins_missing, 1, "an end without a begin");
    is_int(faults.ends_missing, 0, "and no end is missing");
    read_all(WTL_ACTIVITY_STAY | WTL_ACTIVITY_CREATED | WTL_ACTIVITY_EDGE, WTL_BY_TASK, 0, 0);
    is_str(said,
           "created t0 10-10 task dgemm 1\n"
           "created t0 30-30 task trsm 2 other 1 bytes 0\n"
           "edge t0 31-31 task trsm 2 other 1 bytes 0\n"
           "stay t0 40-50 barrier wait 0 paused\n"
           "stay t0 20-50 task dgemm 1 paused\n"
           "stay t1 60-70 barrier wait 0 resumed\n"
           "stay t0 50-80 task trsm 2\n"
           "stay t1 60-90 task dgemm 1 resumed\n"
           "stay t0 0-100 parallel p 7\n",
           "whole stays");
    read_all(WTL_ACTIVITY_SEGMENT, WTL_BY_TASK, 45, 65);
    is_str(said,
           "segment t0 40-50 barrier wait 0\n"
           "segment t0 50-65 task trsm 2\n"
           "segment t1 60-65 barrier wait 0 resumed\n",
           "a window");
}

/* Ends that are missing, and marks in a wrong order. */
static void check_faults(void)
{
    begin();
    mark(0, 0, WATTLE_STATE_ENTER + WATTLE_STATE_FUNCTION, "f", 0);
    mark(0, 10, WATTLE_TASK_RUN, "a", 1);
    mark(0, 20, WATTLE_STATE_LEAVE + WATTLE_STATE_FUNCTION, NULL, 0);
    mark(0, 30, WATTLE_TASK_PAUSE, "a", 1);
    mark(0, 40, WATTLE_TASK_RUN, "a", 2);
    mark(0, 45, WATTLE_TASK_RUN, "a", 2);
    mark(0, 50, WTL_MARK_THREAD_END, NULL, 0);
    mark(1, 60, WATTLE_TASK_RUN, "b", 1);
    is_int(wtl_trace_writer_finish(writer, NULL), 0, "written");
    read_all(WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_STAY, WTL_BY_TASK, 0, 0);
    is_str(said,
           "segment t0 0-10 function f 0\n"
           "segment t0 10-20 task a 1\n"
           "stay t0 10-20 task a 1 cut\n"
           "stay t0 0-20 function f 0\n"
           "segment t0 40-45 task a 2\n"
           "stay t0 40-45 task a 2 cut\n"
           "segment t0 45-50 task a 2\n"
           "stay t0 45-50 task a 2 cut\n"
           "stay t2 60-60 task b 1 cut\n",
           "closed by what ends them");
    is_int(faults.begins_missing, 1, "begins missing");
    is_int(faults.ends_missing, 4, "ends missing");
}

/* A worker whose region is over is idle, although its barrier ends later; ends that the tool closed. */
static void check_over(void)
{
    begin();
    mark(0, 0, WATTLE_STATE_ENTER + WATTLE_STATE_PARALLEL, "p", 7);
    mark(2, 5, WATTLE_STATE_ENTER + WATTLE_STATE_PARALLEL, "p", 7);
    mark(2, 10, WATTLE_STATE_ENTER + WATTLE_STATE_SYNC, "barrier", 7);
    mark(0, 20, WATTLE_STATE_LEAVE + WATTLE_STATE_PARALLEL, "p", 7);
    detail(0, 20, WATTLE_TASK_KEY_OVER, 1);
    mark(2, 50, WATTLE_STATE_LEAVE + WATTLE_STATE_SYNC, "barrier", 7);
    mark(2, 60, WATTLE_STATE_LEAVE + WATTLE_STATE_PARALLEL, "p", 7);
    detail(2, 60, WATTLE_TASK_KEY_CUT, 1);
    is_int(wtl_trace_writer_finish(writer, NULL), 0, "written");
    read_all(WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_STAY, WTL_BY_TASK, 0, 0);
    is_str(said,
           "segment t1 5-10 parallel p 7\n"
           "segment t0 0-20 parallel p 7\n"
           "stay t0 0-20 parallel p 7\n"
           "segment t1 10-20 barrier barrier 7\n"
           "segment t1 20-50 idle  0\n"
           "stay t1 10-50 barrier barrier 7\n"
           "segment t1 50-60 parallel p 7 cut\n"
           "stay t1 5-60 parallel p 7 cut\n",
           "idle since the region is over");
    is_int(faults.begins_missing, 0, "no begin is missing");
    is_int(faults.ends_missing, 1, "one end is");
}

static void check_details(void)
{
    begin();
    mark(0, 0, WATTLE_TASK_RUN, "a", 1);
    mark(0, 0, WATTLE_TASK_COUNTER, "cycles", 100);
    mark(0, 10, WATTLE_STATE_ENTER + WATTLE_STATE_MPI, "MPI_Recv", 0);
    mark(0, 10, WATTLE_TASK_COUNTER, "cycles", 150);
    mark(0, 30, WATTLE_STATE_LEAVE + WATTLE_STATE_MPI, "MPI_Recv", 0);
    detail(0, 30, WATTLE_TASK_KEY_PEER, 1);
    detail(0, 30, WATTLE_TASK_KEY_RECEIVED, 800);
    mark(0, 40, WATTLE_TASK_DONE, "a", 1);
    mark(0, 40, WATTLE_TASK_COUNTER, "cycles", 500);
    mark(1, 50, WATTLE_TASK_SUM, "a", 30);
    detail(1, 50, WATTLE_TASK_KEY_BIN_NS, 40);
    detail(1, 50, WATTLE_TASK_KEY_COUNT, 3);
    mark(1, 60, WATTLE_TASK_SUM, "a", 5); /* it ended before the mark */
    detail(1, 60, WATTLE_TASK_KEY_BIN_NS, 8);
    detail(1, 60, WATTLE_TASK_KEY_COUNT, 1);
    detail(1, 60, WATTLE_TASK_KEY_AGO_NS, 20);
    is_int(wtl_trace_writer_finish(writer, NULL), 0, "written");
    read_all(WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_MESSAGE | WTL_ACTIVITY_BIN, WTL_BY_TASK, 0, 0);
    is_str(said,
           "segment t0 0-10 task a 1 cycles=50\n"
           "segment t0 10-30 MPI MPI_Recv 0 other 0 bytes 800 peer 1\n"
           "message t0 10-30 MPI MPI_Recv 0 other 0 bytes 800 peer 1 received\n"
           "segment t0 30-40 task a 1\n"
           "bin t2 10-50 task a 0 other 3 bytes 30\n"
           "bin t2 32-40 task a 0 other 1 bytes 5\n",
           "counters only between borders that have them; messages; bins");
}

static void check_regions_and_cut(void)
{
    begin();
    mark(0, 0, WTL_MARK_BEGIN, "solve", 0);
    mark(0, 10, WTL_MARK_BEGIN, "inner", 0);
    mark(0, 20, WATTLE_TASK_RUN, "a", 1);
    mark(0, 30, WTL_MARK_END, "solve", 0);
    mark(2, 35, WATTLE_TASK_RUN, "a", 2);
    mark(0, 40, WATTLE_TASK_CUT, NULL, 0);
    mark(2, 45, WATTLE_TASK_DONE, "a", 2);
    mark(0, 50, WATTLE_TASK_RUN, "a", 3);
    is_int(wtl_trace_writer_finish(writer, NULL), 0, "written");
    read_all(WTL_ACTIVITY_SEGMENT, WTL_BY_REGION, 0, 0);
    is_str(said,
           "segment t0 0-10 region solve 0\n"
           "segment t0 10-20 region inner 0\n"
           "segment t0 20-40 task a 1\n"
           "segment t1 35-40 task a 2\n",
           "by region, up to the cut");
    is_int(faults.cut_processes, 1, "a process was cut");
    is_int(faults.begins_missing, 0, "what it did later is left out");
    read_all(WTL_ACTIVITY_SEGMENT, WTL_BY_TASK, 0, 0);
    is_str(said,
           "segment t0 20-40 task a 1\n"
           "segment t1 35-40 task a 2\n",
           "by task");
}

int main(void)
{
    check_tasks();
    check_faults();
    check_over();
    check_details();
    check_regions_and_cut();
    (void)unlink("activity.wtl");
    return done_testing();
}
