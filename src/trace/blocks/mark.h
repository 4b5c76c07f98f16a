/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mark: a region, event or task call of a program: a region begins or ends, an event happened, a task runs on
 * a thread. Marks have this form when they leave the spool, and when they enter and leave the trace.
 */
#ifndef WTL_TRACE_MARK_H
#define WTL_TRACE_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/task.h>

/* The numeric values are part of the formats of spool and trace. */
enum wtl_mark_kind {
    WTL_MARK_BEGIN = 0,
    WTL_MARK_END = 1,
    WTL_MARK_EVENT = 2,
    WTL_MARK_THREAD_END = 3, /* the thread ended, and with it what it left open */
    WTL_MARK_KIND_COUNT = 4,
    /* Marks of tasks and states have the kinds of <wattle/task.h>. */
    WTL_MARK_TASK_FIRST = WATTLE_TASK_CREATE,
    WTL_MARK_LAST = WATTLE_STATE_LEAVE + WATTLE_STATE_OTHER
};

struct wtl_mark {
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t value;   /* of events, tasks and states; others: 0 */
    uint32_t thread;  /* index of the thread in the table of the spool or trace */
    uint32_t name;    /* begin, end: number of the name in the table of the spool or trace, >= 1;
                         event: its type; task, state: as begin, but 0 = none; detail: its key */
    enum wtl_mark_kind kind;
};

/* Of regions, without events. */
static inline bool wtl_mark_is_region(uint64_t kind)
{
    return kind == WTL_MARK_BEGIN || kind == WTL_MARK_END || kind == WTL_MARK_THREAD_END;
}

/* Of tasks and states. */
static inline bool wtl_mark_is_task(uint64_t kind)
{
    return (kind >= WATTLE_TASK_CREATE && kind <= WATTLE_TASK_CUT) ||
           (kind >= WATTLE_STATE_ENTER && kind <= WATTLE_STATE_ENTER + WATTLE_STATE_OTHER) ||
           (kind >= WATTLE_STATE_LEAVE && kind <= WATTLE_STATE_LEAVE + WATTLE_STATE_OTHER);
}

/* Whether `name` is the number of a name, rather than a type or a key. */
static inline bool wtl_mark_is_named(uint64_t kind)
{
    return kind == WTL_MARK_BEGIN || kind == WTL_MARK_END ||
           (wtl_mark_is_task(kind) && kind != WATTLE_TASK_DETAIL);
}

#endif
