/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass over the marks that makes activities: see activity.h. */
#include "analysis/tasks/activity.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/tasks/activity_state.h"
#include "base/fail.h"
#include "base/grow.h"
#include "trace/own_event.h"

bool wtl_activities_present(const struct wtl_trace_reader *reader)
{
    return wtl_trace_marks_any(reader, WTL_MARKS_TASKS);
}

int wtl_activities_open(struct wtl_trace_reader *reader,
                        const struct wtl_activity_options *options,
                        struct wtl_activities **ret_activities,
                        struct wattle_error *err)
{
    uint64_t which = WTL_MARKS_REGIONS | WTL_MARKS_TASKS;
    struct wtl_activities *a = calloc(1, sizeof *a);
    if (!a)
        return wtl_no_memory_for(err, "the tasks of a trace");
    a->reader = reader;
    if (options)
        a->options = *options;
    if (a->options.end_ns == 0)
        a->options.end_ns = UINT64_MAX;
    if (a->options.what == 0)
        a->options.what = WTL_ACTIVITY_SEGMENT;
    if (a->options.what & WTL_ACTIVITY_EVENT)
        which |= WTL_MARKS_EVENTS;
    int rc = a->options.begin_ns <= a->options.end_ns
                 ? wtl_trace_reader_tables(reader, err)
                 : wtl_fail(err, -EINVAL, "tasks: the window ends before it begins");
    if (rc >= 0)
        rc = wtl_trace_marks_open_of(reader, which, WTL_ALL_THREADS, &a->marks, err);
    wtl_event_labels_init(&a->labels, reader);
    if (rc < 0) {
        wtl_activities_close(a);
        return rc;
    }
    *ret_activities = a;
    return 0;
}

void wtl_activities_close(struct wtl_activities *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->thread_room; i++) {
        if (!a->threads[i])
            continue;
        free(a->threads[i]->frames);
        free(a->threads[i]->values);
        free(a->threads[i]);
    }
    free((void *)a->threads);
    free(a->cut);
    free(a->queue);
    free(a->pool);
    wtl_activity_paused_fini(a);
    wtl_activity_tables_fini(a);
    wtl_trace_marks_close(a->marks);
    free(a);
}

const struct wtl_activity_faults *wtl_activities_faults(const struct wtl_activities *a)
{
    return &a->faults;
}

/* ---- marks ---- */

static struct wtl_activity_thread *thread_of(struct wtl_activities *a, uint32_t id)
{
    if (wtl_reserve_zeroed(&a->threads, &a->thread_room, (size_t)id + 1,
                           sizeof(struct wtl_activity_thread *)) < 0)
        return NULL;
    if (a->threads[id])
        return a->threads[id];
    const struct wtl_trace_thread *known = wtl_trace_reader_thread(a->reader, id);
    struct wtl_activity_thread *thread = calloc(1, sizeof *thread);
    if (thread)
        *thread =
            (struct wtl_activity_thread){.id = id, .process = known ? known->process : UINT32_MAX};
    a->threads[id] = thread;
    return thread;
}

static bool is_cut(const struct wtl_activities *a, uint32_t process)
{
    return process < a->cut_room && a->cut[process];
}

static int cut_process(struct wtl_activities *a, const struct wtl_activity_thread *thread)
{
    uint32_t process = thread->process;
    if (process >= wtl_trace_reader_process_count(a->reader) || is_cut(a, process))
        return 0;
    if (wtl_reserve_zeroed(&a->cut, &a->cut_room, (size_t)process + 1, sizeof *a->cut) < 0)
        return -ENOMEM;
    a->cut[process] = true;
    a->faults.cut_processes++;
    return wtl_activity_close_process(a, process, a->now_ns);
}

/* After its process was cut, a thread only has a summary. */
static bool is_left_out(const struct wtl_activities *a,
                        const struct wtl_activity_thread *thread,
                        const struct wtl_mark *mark)
{
    uint32_t kind = (uint32_t)mark->kind;
    bool of_summary = kind >= WATTLE_TASK_SUM && kind <= WATTLE_TASK_LABEL_VALUE;
    bool of_region = wtl_mark_is_region(kind) || kind == WTL_MARK_EVENT;
    if (of_region && kind != WTL_MARK_THREAD_END)
        return kind != WTL_MARK_EVENT && a->options.by != WTL_BY_REGION;
    return kind != WATTLE_TASK_CUT && kind != WTL_MARK_THREAD_END && !of_summary &&
           kind != WATTLE_TASK_DETAIL && is_cut(a, thread->process);
}

static int take_event(struct wtl_activities *a,
                      struct wtl_activity_thread *thread,
                      const struct wtl_mark *mark)
{
    struct wtl_activity event = {.what = WTL_ACTIVITY_EVENT,
                                 .begin_ns = mark->time_ns,
                                 .end_ns = mark->time_ns,
                                 .thread = mark->thread,
                                 .kind = WATTLE_STATE_OTHER,
                                 .core = -1,
                                 .task = mark->name,
                                 .peer = -1,
                                 .tag = -1,
                                 .bytes = mark->value};
    thread->at_border = false;
    return mark->name < WTL_EVENT_OWN ? wtl_activity_emit(a, &event) : 0;
}

static int take_mark(struct wtl_activities *a, const struct wtl_mark *mark)
{
    struct wtl_activity_thread *thread = thread_of(a, mark->thread);
    if (!thread)
        return -ENOMEM;
    a->now_ns = mark->time_ns;
    if (is_left_out(a, thread, mark)) {
        thread->at_border = false;
        return 0;
    }
    if (mark->kind == WTL_MARK_EVENT)
        return take_event(a, thread, mark);
    if (mark->kind == WTL_MARK_THREAD_END)
        return wtl_activity_close_thread(a, thread, mark->time_ns);
    if ((uint32_t)mark->kind == WATTLE_TASK_CUT)
        return cut_process(a, thread);
    return wtl_activity_take(a, thread, mark);
}

/* Close what is open at the end of the trace or of the window. */
static int end(struct wtl_activities *a, bool beyond)
{
    uint64_t limit_ns = a->options.end_ns;
    struct wtl_trace_window window;
    uint64_t end_ns = a->now_ns;
    wtl_trace_reader_window(a->reader, &window);
    if (window.ended && window.end_monotonic_ns > end_ns)
        end_ns = window.end_monotonic_ns;
    if (beyond || end_ns > limit_ns)
        end_ns = limit_ns;
    a->at_window_end = end_ns == limit_ns;
    int rc = wtl_activity_close_all(a, end_ns);
    a->ended = true;
    return rc;
}

int wtl_activities_next(struct wtl_activities *a,
                        struct wtl_activity *ret_activity,
                        struct wattle_error *err)
{
    for (;;) {
        struct wtl_mark mark;
        if (wtl_activity_pop(a, ret_activity))
            return 1;
        if (a->ended)
            return 0;
        int rc = wtl_trace_marks_next(a->marks, &mark, err);
        if (rc < 0)
            return rc;
        if (rc > 0 && mark.time_ns <= a->options.end_ns)
            rc = take_mark(a, &mark);
        else
            rc = end(a, rc > 0);
        if (rc < 0)
            return wtl_fail(err, rc, "the tasks of the trace: %s", wtl_strerror(rc));
    }
}
