/* SPDX-License-Identifier: BSD-3-Clause */
/* The public reading of gaps and marks: see <wattle/trace.h>. */
#include <wattle/trace.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/sized.h"
#include "trace/public_trace.h"
#include "trace/reader.h"

/* The public kinds have the same values as those of the file. */
_Static_assert((int)WATTLE_MARK_BEGIN == WTL_MARK_BEGIN && (int)WATTLE_MARK_END == WTL_MARK_END &&
                   (int)WATTLE_MARK_EVENT == WTL_MARK_EVENT &&
                   (int)WATTLE_MARK_THREAD_END == WTL_MARK_THREAD_END,
               "kinds of marks");

static const struct wtl_sized gap_sized = {"struct wattle_gap", sizeof(struct wattle_gap),
                                           offsetof(struct wattle_gap, error) + sizeof(int)};

struct wattle_trace_marks {
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
};

int wattle_trace_gap_count(struct wattle_trace *trace, struct wattle_error *err)
{
    const struct wtl_gap *gaps;

    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    return wtl_trace_reader_gaps(wtl_public_trace_reader(trace), &gaps, err);
}

int wattle_trace_gap(struct wattle_trace *trace,
                     size_t gap,
                     struct wattle_gap *ret_gap,
                     struct wattle_error *err)
{
    const struct wtl_gap *gaps;

    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    int rc = wtl_sized_check(&gap_sized, ret_gap, err);
    int count = rc < 0 ? rc : wtl_trace_reader_gaps(wtl_public_trace_reader(trace), &gaps, err);

    if (count < 0)
        return count;
    if (gap >= (size_t)count)
        return wtl_fail(err, -EINVAL, "trace: no gap %zu; there are %d, from 0", gap, count);
    struct wattle_gap one = {.channel = gaps[gap].channel,
                             .begin_ns = gaps[gap].begin_ns,
                             .end_ns = gaps[gap].end_ns,
                             .reason = wtl_gap_reason_name(gaps[gap].reason),
                             .error = gaps[gap].error};
    wtl_sized_give(&gap_sized, &one, ret_gap);
    return 0;
}

int wattle_trace_marks_open(struct wattle_trace *trace,
                            struct wattle_trace_marks **ret_marks,
                            struct wattle_error *err)
{
    if (!trace)
        return wtl_fail(err, -EINVAL, "trace: NULL was given; open one first");
    if (!ret_marks)
        return wtl_fail(err, -EINVAL,
                        "trace: ret_marks is NULL; give the address of a struct "
                        "wattle_trace_marks *");
    struct wattle_trace_marks *marks = calloc(1, sizeof *marks);

    if (!marks)
        return wtl_no_memory_for(err, "the trace");
    marks->reader = wtl_public_trace_reader(trace);
    int rc = wtl_trace_reader_tables(marks->reader, err);

    if (rc == 0)
        rc = wtl_trace_marks_open_of(marks->reader, WTL_MARKS_ALL, WTL_ALL_THREADS, &marks->marks,
                                     err);
    if (rc < 0) {
        free(marks);
        return rc;
    }
    *ret_marks = marks;
    return 0;
}

/* A mark with information from the tables; what was lost to damage is unknown. */
static struct wattle_trace_mark public_mark(const struct wtl_trace_reader *reader,
                                            const struct wtl_mark *mark)
{
    struct wattle_trace_mark public = {.time_ns = mark->time_ns,
                                       .value = mark->value,
                                       .kind = mark->kind,
                                       .thread = mark->thread,
                                       .rank = -1};
    const struct wtl_trace_thread *thread = wtl_trace_reader_thread(reader, mark->thread);
    const struct wtl_trace_process *process =
        thread ? wtl_trace_reader_process(reader, thread->process) : NULL;

    if (wtl_mark_is_named(mark->kind))
    public.name = wtl_trace_reader_string(reader, mark->name);
    else public.type = mark->name; /* 0 of the end of a thread */
    if (thread)
    public.tid = thread->tid;
    if (process) {
        public.pid = process->pid;
        public.rank = process->rank;
    }
    return public;
}

int wattle_trace_marks_next(struct wattle_trace_marks *marks,
                            struct wattle_trace_mark *ret_marks,
                            size_t n,
                            struct wattle_error *err)
{
    size_t filled = 0;

    if (!marks || !ret_marks || n == 0)
        return wtl_fail(err, -EINVAL,
                        "trace: open marks and an array of at least one element are required");
    n = n > INT_MAX ? INT_MAX : n;
    while (filled < n) {
        struct wtl_mark mark;
        int rc = wtl_trace_marks_next(marks->marks, &mark, err);

        if (rc < 0)
            return rc;
        if (rc == 0)
            break;
        ret_marks[filled++] = public_mark(marks->reader, &mark);
    }
    return (int)filled;
}

void wattle_trace_marks_close(struct wattle_trace_marks *marks)
{
    if (!marks)
        return;
    wtl_trace_marks_close(marks->marks);
    free(marks);
}
