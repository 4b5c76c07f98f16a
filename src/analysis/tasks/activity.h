/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Activities: what each thread of a trace did when, from its marks of tasks and states. Everything that
 * draws, exports or models tasks reads them from here.
 *
 *     wtl_activities_open(reader, &options, &activities, err);
 *     while ((rc = wtl_activities_next(activities, &activity, err)) > 0) ...
 *     wtl_activities_close(activities);
 *
 * A thread has a stack of states and tasks, and does what is on top. A task owns the states (and regions)
 * above it, up to the next task: if it pauses they leave the thread with it, and come back with it on
 * whichever thread it resumes. Leaving a state closes the states and tasks above it, whose ends are
 * missing; an end without a begin closes nothing. Both are counted.
 *
 * Everything arrives in the order of its end, but for bins of the summary, which may come later. Memory is that of what is open or paused at a time and of
 * the types, however long the trace is.
 */
#ifndef WTL_ANALYSIS_ACTIVITY_H
#define WTL_ANALYSIS_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>
#include <wattle/task.h>

#include "trace/reader.h"
#include "trace/regions/event_labels.h"

/* What an activity is, as bits, to choose. */
enum wtl_activity_what {
    WTL_ACTIVITY_SEGMENT =
        1, /* the thread did this and nothing above it: segments of a thread do not
                                 overlap, and in the gaps nothing is known */
    WTL_ACTIVITY_STAY =
        2, /* from entering to leaving, whatever lies above; a task has one each time
                                 that it is on a thread */
    WTL_ACTIVITY_CREATED = 4, /* `task` was created, by task `other` (0 = outside of tasks) */
    WTL_ACTIVITY_EDGE = 8,    /* `task` must not start before `other` is done */
    WTL_ACTIVITY_MESSAGE =
        16,                  /* `bytes` were sent to `peer`, or (flag RECEIVED) received from it */
    WTL_ACTIVITY_EVENT = 32, /* wattle_event(): type `task`, value `bytes` */
    WTL_ACTIVITY_BIN =
        64 /* summary: in the bin from begin_ns to end_ns the thread spent `bytes` ns in
                                 tasks of this type, of which `other` ended; kind IDLE = in none */
};

/* Kinds: the states of enum wattle_state, and these. */
#define WTL_ACTIVITY_TASK   100
#define WTL_ACTIVITY_REGION 101

enum wtl_activity_flag {
    WTL_ACTIVITY_CUT =
        1, /* its end is missing; closed at the end of the thread, of what it lies in,
                                  or of the window */
    WTL_ACTIVITY_RESUMED = 2,  /* stay of a task that had run before */
    WTL_ACTIVITY_PAUSED = 4,   /* stay of a task that left before it was complete */
    WTL_ACTIVITY_RECEIVED = 8, /* message: the receiving side */
    WTL_ACTIVITY_COUNTED = 16  /* segment: its counters are known */
};

struct wtl_activity_counter {
    uint32_t counter; /* index for wtl_activities_counter() */
    uint64_t value;   /* increase over the segment */
};

struct wtl_activity {
    unsigned what;             /* one of enum wtl_activity_what */
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; equal for what has no duration */
    uint32_t thread;           /* of the trace */
    uint32_t depth;            /* of the stack; 0 = outermost */
    int kind;                  /* enum wattle_state, WTL_ACTIVITY_TASK or WTL_ACTIVITY_REGION */
    uint32_t type;             /* index for wtl_activities_type() */
    unsigned flags;            /* enum wtl_activity_flag */
    int32_t core;              /* CPU of the thread at the begin; -1 = unknown */
    uint64_t task; /* number, unique in the process; state: that of the parallel region */
    uint64_t other;
    int64_t peer, tag;                           /* MPI; -1 = unknown or any */
    uint64_t comm;                               /* MPI; 0 = unknown */
    uint64_t bytes;                              /* MPI: sent or received */
    const struct wtl_activity_counter *counters; /* valid until the next call */
    size_t counter_count;
};

struct wtl_activity_type {
    const char *name; /* "dgemm", "solve.c:42", "MPI_Recv"; "" = unknown; owned by the reader */
    int kind;
    uint64_t count;   /* stays that began a task, a state, a region */
    uint64_t time_ns; /* of its segments, summed over the threads; cut to the window */
    uint64_t created; /* tasks */
    uint64_t done;    /* tasks */
};

enum wtl_activity_by {
    WTL_BY_TASK = 0,  /* regions are left out */
    WTL_BY_REGION = 1 /* regions are activities, too: programs without tasks */
};

struct wtl_activity_options {
    uint64_t begin_ns, end_ns; /* only what overlaps this; both 0 = the whole trace */
    enum wtl_activity_by by;
    unsigned what; /* 0 = WTL_ACTIVITY_SEGMENT */
};

/* What did not fit together, and what was left out. */
struct wtl_activity_faults {
    uint64_t ends_missing;   /* activities closed by something else */
    uint64_t begins_missing; /* ends that closed nothing */
    uint64_t cut_processes;  /* processes whose recording stopped at the size limit */
    uint64_t too_deep;       /* begins beyond a depth of 4096 */
};

struct wtl_activities;

/* The reader must stay open. Returns 0, -EINVAL, -ENOMEM, or an error of the trace. */
int wtl_activities_open(struct wtl_trace_reader *reader,
                        const struct wtl_activity_options *options,
                        struct wtl_activities **ret_activities,
                        struct wattle_error *err);
void wtl_activities_close(struct wtl_activities *activities); /* accepts NULL */

/* 1, 0 at the end, or -errno. */
int wtl_activities_next(struct wtl_activities *activities,
                        struct wtl_activity *ret_activity,
                        struct wattle_error *err);

/* The types so far, in the order of their first mark; the totals are final after the end. */
size_t wtl_activities_type_count(const struct wtl_activities *activities);
const struct wtl_activity_type *wtl_activities_type(const struct wtl_activities *activities,
                                                    size_t i);

/* Name of a counter of an activity; NULL = none. */
const char *wtl_activities_counter(const struct wtl_activities *activities, size_t i);

/* The texts of events so far. */
const struct wtl_event_labels *wtl_activities_labels(const struct wtl_activities *activities);

const struct wtl_activity_faults *wtl_activities_faults(const struct wtl_activities *activities);

/* Whether the trace has marks of tasks or states at all; needs no pass over it. */
bool wtl_activities_present(const struct wtl_trace_reader *reader);

/* Name of a kind for printing: "task", "MPI", "barrier and wait", ...; and whether a thread that does this
 * works, rather than waits for others. */
const char *wtl_activity_kind_name(int kind);
bool wtl_activity_is_work(int kind);

#endif
