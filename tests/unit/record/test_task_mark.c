/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of tasks: calls in children of this process, their spools read and merged afterwards. */
#define _GNU_SOURCE
#include <wattle/region.h>
#include <wattle/task.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/regions/region_place.h"
#include "record/spool/spool_merge.h"
#include "tap.h"
#include "trace/reader.h"
#include "trace/spool/spool.h"

static char dir[64], trace[128];

/* What a trace has of a process. */
struct seen {
    uint64_t run, done, detail, counter, state, cut, sum, region, wrong;
    uint64_t lanes, lane_run, late; /* in lanes, and those more than 5 ns beside their times */
    uint64_t per_thread[64];
};

static struct seen seen;
static struct wtl_spool_merge_report report;

enum { SPAN_NS = 4000 };

static void look(const struct wtl_mark *mark, struct wtl_mark last[64], bool of_lane)
{
    struct wtl_mark *before = &last[mark->thread % 64];
    uint32_t kind = (uint32_t)mark->kind;
    seen.run += kind == WATTLE_TASK_RUN;
    seen.done += kind == WATTLE_TASK_DONE;
    seen.detail += kind == WATTLE_TASK_DETAIL;
    seen.counter += kind == WATTLE_TASK_COUNTER;
    seen.state += kind >= WATTLE_STATE_ENTER;
    seen.cut += kind == WATTLE_TASK_CUT;
    seen.sum += kind == WATTLE_TASK_SUM;
    seen.region += wtl_mark_is_region(kind) && kind != WTL_MARK_THREAD_END;
    seen.per_thread[mark->thread % 64]++;
    if (of_lane && (kind == WATTLE_TASK_RUN || kind == WATTLE_TASK_DONE)) {
        uint64_t told = kind == WATTLE_TASK_RUN ? mark->value : mark->value + SPAN_NS;
        seen.lane_run += kind == WATTLE_TASK_RUN;
        seen.late += mark->time_ns > told + 5 || mark->time_ns + 5 < told;
    }
    /* Details have the time of their mark, and its value as told. */
    if (kind == WATTLE_TASK_DETAIL && mark->name == WATTLE_TASK_KEY_TASK)
        seen.wrong += before->time_ns != mark->time_ns || mark->value != before->value + 1;
    if (kind == WATTLE_TASK_DONE)
        seen.wrong += mark->value == 0;
    *before = *mark;
}

/* Merge what the children left, read it, and remove it. */
static void collect(void)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *writer;
    struct wtl_spool_merge *merge;
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    static struct wtl_mark last[64];
    struct wattle_error err = {""};
    memset(&seen, 0, sizeof seen);
    memset(last, 0, sizeof last);
    is_int(wtl_trace_writer_create(trace, &force, &writer, &err), 0, "a trace %s", err.text);
    is_int(wtl_spool_merge_open(dir, &merge, &err), 0, "the folder");
    is_int(wtl_spool_merge_write(merge, writer, &report, &err), 0, "merged %s", err.text);
    is_int(wtl_trace_writer_finish(writer, &err), 0, "finished");
    is_int(wtl_spool_merge_remove(merge), 0, "removed");
    wtl_spool_merge_close(merge);
    (void)mkdir(dir, 0700);
    is_int(wtl_trace_reader_open(trace, &reader, &err), 0, "opens");
    is_int(wtl_trace_reader_tables(reader, &err), 0, "tables");
    is_int(wtl_trace_marks_open_of(reader, WTL_MARKS_ALL, WTL_ALL_THREADS, &marks, &err), 0,
           "marks");
    while (wtl_trace_marks_next(marks, &mark, &err) > 0)
        look(&mark, last, wtl_thread_is_lane(wtl_trace_reader_thread(reader, mark.thread)));
    for (size_t i = 0; i < wtl_trace_reader_thread_count(reader); i++) {
        const struct wtl_trace_thread *thread = wtl_trace_reader_thread(reader, i);
        seen.lanes += wtl_thread_is_lane(thread) && strncmp(thread->name, "gpu ", 4) == 0;
    }
    wtl_trace_marks_close(marks);
    is_int(wtl_trace_marks_open(reader, WTL_ALL_THREADS, &marks, &err), 0, "regions and events");
    uint64_t others = 0;
    while (wtl_trace_marks_next(marks, &mark, &err) > 0)
        others += wtl_mark_is_task(mark.kind);
    is_int(others, 0, "have no tasks");
    wtl_trace_marks_close(marks);
    wtl_trace_reader_close(reader);
}

/* Run this in a child that records. */
static int in_child(void (*action)(void), const char *tasks, const char *limit)
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        (void)setenv("WATTLE_TASKS", tasks, 1);
        if (limit)
            (void)setenv("WATTLE_TASKS_LIMIT", limit, 1);
        if (wtl_region_record(dir) < 0)
            _exit(99);
        action();
        exit(0);
    }
    (void)waitpid(pid, &status, 0);
    return status;
}

static void some(uint64_t from, uint64_t count)
{
    uint32_t type = wattle_region_id("dgemm");
    for (uint64_t i = from; i < from + count; i++) {
        const struct wattle_task_detail details[] = {
            {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_TASK, i + 1},
            {WATTLE_TASK_COUNTER, type, i * 7},
            {99, 0, 0}, /* ends the list */
            {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_TASK, 0}};
        wattle_task_mark(WATTLE_TASK_RUN, type, i);
        wattle_task_mark_with(WATTLE_TASK_AFTER, type, i, details, 4);
        wattle_task_mark(WATTLE_TASK_DONE, type, i);
        wattle_task_mark(15, type, i);
        wattle_task_mark(31, type, i);
        wattle_task_mark(75, type, i);
    }
}

static void plain(void)
{
    wattle_region_begin(wattle_region_id("r"));
    some(1, 5000);
    wattle_region_end(wattle_region_id("r"));
}

static void killed(void)
{
    some(1, 3000);
    (void)raise(SIGKILL);
}

static void *a_thread(void *from)
{
    some((uint64_t)(uintptr_t)from, 4000);
    return NULL;
}

static void of_threads(void)
{
    pthread_t threads[8];
    for (uintptr_t i = 0; i < 8; i++)
        (void)pthread_create(&threads[i], NULL, a_thread, (void *)(i * 10000 + 1));
    for (int i = 0; i < 8; i++)
        (void)pthread_join(threads[i], NULL);
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
    (void)signal;
    some(1000000 + (uint64_t)handled++ * 10, 3);
}

/* A handler's marks never come between a mark and its details. */
static void interrupted(void)
{
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    uint64_t from = 1;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    for (; handled < 50 && from < 20000000; from += 1000)
        some(from, 1000);
    (void)setitimer(ITIMER_REAL, &never, NULL);
}

static void forks(void)
{
    some(1, 100);
    pid_t pid = fork();
    some(1001, 100);
    if (pid == 0)
        _exit(0);
    (void)waitpid(pid, NULL, 0);
}

static void summary(void)
{
    some(1, 100);
    const struct wattle_task_detail bin = {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_BIN_NS, 1000};
    if (wattle_task_recording() != 2)
        _exit(98);
    wattle_task_mark_with(WATTLE_TASK_SUM, wattle_region_id("dgemm"), 500, &bin, 1);
    wattle_task_mark(WATTLE_STATE_ENTER, 0, 0);
}

static void over_the_limit(void)
{
    some(1, 60000);
    if (wattle_task_recording() != 2)
        _exit(98);
    wattle_task_mark(WATTLE_TASK_SUM, wattle_region_id("dgemm"), 500);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Tasks whose numbers are their times, up to now, told in pieces. Returns how many were recorded. */
static unsigned tell(const char *name, uint64_t from_ns, unsigned count)
{
    struct wattle_lane_span spans[64] = {{0}};
    uint32_t lane = wattle_region_id(name), type = wattle_region_id("kernel");
    unsigned done = 0;
    for (unsigned i = 0; i < count;) {
        unsigned n = 0;
        for (; n < 64 && i < count; n++, i++) {
            uint64_t at = from_ns + UINT64_C(10000) * i;
            spans[n] = (struct wattle_lane_span){at, at + SPAN_NS, at, type, 0};
        }
        done += wattle_lane_spans(lane, spans, n);
    }
    return done;
}

static void of_lanes(void)
{
    uint64_t base = now_ns() - 100000000;
    some(1, 10);
    if (tell("gpu 0 stream 1", base, 5000) != 5000 || tell("gpu 0 stream 2", base, 3000) != 3000)
        _exit(97);
    if (tell("gpu 0 stream 1", base, 10) != 0) /* before what it has */
        _exit(96);
    if (tell("gpu 0 stream 2", now_ns() + 1000000000, 10) != 0) /* in the future */
        _exit(95);
    pid_t pid = fork();
    if (pid == 0)
        _exit(tell("gpu 0 stream 1", base, 100) == 100 ? 0 : 94);
    int status = 0;
    (void)waitpid(pid, &status, 0);
    if (status != 0)
        _exit(94);
    some(100, 10);
    (void)tell("gpu 0 stream 1", base + 60000000, 100);
    (void)raise(SIGKILL);
}

static void over_the_limit_of_lanes(void)
{
    (void)tell("gpu 0 stream 1", now_ns() - 600000000, 60000);
    if (wattle_task_recording() != 2)
        _exit(98);
    if (tell("gpu 0 stream 2", now_ns() - 1000000, 10) != 0)
        _exit(93);
}

static void off(void)
{
    if (wattle_task_recording() != 0)
        _exit(98);
    plain();
}

static void check(const char *name, void (*action)(void), const char *tasks, const char *limit)
{
    diag("%s", name);
    int status = in_child(action, tasks, limit);
    if (action == killed || action == of_lanes)
        ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s: killed", name);
    else
        is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "%s: ends well", name);
    collect();
    is_int(seen.wrong, 0, "%s: details are with their marks", name);
    is_int(report.ignored, 0, "%s: all records are valid", name);
    is_int(report.tasks_done, (long)seen.done, "%s: the report counts what is done", name);
}

int main(void)
{
    (void)snprintf(dir, sizeof dir, "/tmp/wattle-task-mark-%ld", (long)getpid());
    (void)snprintf(trace, sizeof trace, "%s.wtl", dir);
    (void)mkdir(dir, 0700);

    check("plain", plain, "1", NULL);
    is_int(seen.run, 5000, "all begin");
    is_int(seen.done, 5000, "all end");
    is_int(seen.detail, 5000, "details up to the first that is none");
    is_int(seen.counter, 5000, "counters");
    is_int(seen.region, 2, "and the region");
    check("killed", killed, "1", NULL);
    is_int(seen.done, 3000, "kill -9 loses nothing");
    check("threads", of_threads, "1", NULL);
    is_int(seen.done, 32000, "eight threads");
    check("interrupted", interrupted, "1", NULL);
    ok(seen.run == seen.done || report.nested > 0, "marks of handlers: %llu and %llu",
       (unsigned long long)seen.run, (unsigned long long)seen.done);
    check("forks", forks, "1", NULL);
    is_int(seen.done, 300, "the child records for itself");
    is_int(report.spools, 2, "in a file of its own");
    check("summary", summary, "summary", NULL);
    is_int(seen.run + seen.state, 0, "a summary has no single tasks");
    is_int(seen.sum, 1, "but its bins");
    is_int(seen.detail, 1, "with their length");
    check("limit", over_the_limit, "1", "1048576");
    is_int(seen.cut, 1, "the limit is marked once");
    is_int(report.cut, 1, "and reported");
    is_int(seen.sum, 1, "then comes the summary");
    ok(seen.done > 5000 && seen.done < 40000, "%llu tasks before it",
       (unsigned long long)seen.done);
    check("lanes", of_lanes, "1", NULL);
    is_int(seen.lanes, 3, "three lanes, with their names");
    is_int(seen.lane_run, 8200, "all tasks of devices");
    is_int(seen.done, 8220, "all end");
    is_int(seen.late, 0, "at exactly the times that were told");
    check("limit of lanes", over_the_limit_of_lanes, "1", "1048576");
    is_int(seen.cut, 1, "the limit is marked once");
    is_int(seen.run, (long)seen.done, "%llu tasks before it", (unsigned long long)seen.done);
    ok(seen.done > 5000 && seen.done < 40000, "the limit holds");
    check("off", off, "0", NULL);
    is_int(report.tasks, 0, "without --tasks none are recorded");
    is_int(seen.region, 2, "but regions are");

    (void)unlink(trace);
    (void)rmdir(dir);
    return done_testing();
}
