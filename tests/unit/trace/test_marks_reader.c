/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks of many processes, written one process after the other, are returned in time order. */
#define _GNU_SOURCE
#include "trace_fixture.h"

enum { PROCESSES = 20, MARKS = 3000 };

static uint64_t mark_time(int process, int i)
{
    return START_NS + (uint64_t)i * 1000 + (uint64_t)(process * 37 % 1000) * (i % 3 != 0);
}

int main(void)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_trace_reader *r;
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    wtl_trace_writer_create("marks.wtl", &force, &w, NULL);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "step");
    for (int p = 0; p < PROCESSES; p++) {
        struct wtl_trace_process process = {.pid = (uint32_t)p, .rank = p, .command = "a"};
        struct wtl_trace_thread thread = {.name = "t"};
        thread.process = (uint32_t)wtl_trace_writer_process(w, &process);
        uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
        for (int i = 0; i < MARKS; i++) {
            struct wtl_mark one = {.time_ns = mark_time(p, i), .thread = t, .name = name};
            one.kind = i % 5 == 4 ? WTL_MARK_EVENT : i % 2 ? WTL_MARK_END : WTL_MARK_BEGIN;
            one.value = one.kind == WTL_MARK_EVENT ? (uint64_t)i << 40 : 0;
            wtl_trace_writer_marks(w, &one, 1);
        }
    }
    is_int(wtl_trace_writer_finish(w, NULL), 0, "written");
    is_int(wtl_trace_reader_open("marks.wtl", &r, NULL), 0, "opens");

    wtl_trace_marks_open(r, WTL_ALL_THREADS, &marks, NULL);
    uint64_t last_ns = 0;
    int next[PROCESSES] = {0}, wrong = 0, count = 0;
    while (wtl_trace_marks_next(marks, &mark, NULL) > 0) {
        int i = next[mark.thread]++;
        bool event = i % 5 == 4;
        wrong += mark.time_ns < last_ns;
        wrong += mark.time_ns != mark_time((int)mark.thread, i);
        wrong += mark.value != (event ? (uint64_t)i << 40 : 0);
        wrong += (mark.kind == WTL_MARK_EVENT) != event;
        last_ns = mark.time_ns;
        count++;
    }
    wtl_trace_marks_close(marks);
    is_int(count, PROCESSES * MARKS, "all of them");
    is_int(wrong, 0, "in the order of time, those of a thread in theirs");

    wtl_trace_marks_open(r, 7, &marks, NULL);
    count = wrong = 0;
    while (wtl_trace_marks_next(marks, &mark, NULL) > 0)
        wrong += mark.thread != 7 || mark.time_ns != mark_time(7, count++);
    wtl_trace_marks_close(marks);
    is_int(count, MARKS, "one thread alone");
    is_int(wrong, 0, "and none of the others");
    wtl_trace_reader_close(r);
    return done_testing();
}
