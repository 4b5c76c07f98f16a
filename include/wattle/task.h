/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls for the tool of a task runtime or of a threading library (libwattle-ompt is one): which task runs
 * on which thread, what each thread waits for, what a task depends on.
 *
 *     uint32_t dgemm = wattle_region_id("dgemm");          // once for each type
 *     wattle_task_mark(WATTLE_TASK_RUN, dgemm, task);      // tens of nanoseconds
 *     ...
 *     wattle_task_mark(WATTLE_TASK_DONE, dgemm, task);
 *
 * The marks are recorded with the region calls (<wattle/region.h>) and survive kill -9 like them, but
 * only under "wattle run --tasks" (WATTLE_TASKS in the environment); otherwise a call tests a flag and
 * returns. Nothing here fails, prints or changes errno. "wattle tasks", "wattle report" and
 * <wattle/trace.h> show what was recorded.
 *
 * A thread has a stack of states and tasks: a task that runs while the thread waits in a barrier lies
 * above the barrier. Marks that do not fit together (an end without a begin, crossing ones) are recorded
 * and reported, never fatal.
 *
 * Thread rule: all calls are safe from any thread and from signal handlers. After fork the child's marks
 * are recorded as those of the child.
 */
#ifndef WATTLE_TASK_H
#define WATTLE_TASK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a mark says. `name` is an id of wattle_region_id(), `value` as said. The numbers are part of the
 * formats of spool and trace, and equal those of enum wattle_mark_kind (<wattle/trace.h>).
 */
enum wattle_task_kind {
    WATTLE_TASK_CREATE =
        16, /* this thread created task `value` (unique in the process, > 0) of type `name` */
    WATTLE_TASK_RUN = 17,   /* task `value` of type `name` begins or resumes on this thread */
    WATTLE_TASK_PAUSE = 18, /* it leaves the thread and will resume, on this or another thread */
    WATTLE_TASK_DONE = 19,  /* it is complete */
    /* Task `value` waits for another: the detail WATTLE_TASK_KEY_TASK names the one that must be done
     * before; several such details name several. */
    WATTLE_TASK_AFTER = 20,
    WATTLE_TASK_DETAIL = 21, /* detail of the mark before: `name` is an enum wattle_task_key */
    WATTLE_TASK_COUNTER =
        22, /* counter `name` of this thread is at `value` (cumulative), at the mark before */
    /* Summary: in the bin that ends now (length: detail WATTLE_TASK_KEY_BIN_NS) this thread ran tasks of
     * type `name` for `value` ns; name 0 = it was idle */
    WATTLE_TASK_SUM = 23,
    WATTLE_TASK_LABEL_TYPE =
        24, /* the meaning of event type `value` (wattle_event()) is the text `name` */
    WATTLE_TASK_LABEL_VALUE =
        25, /* the meaning of value `value` of the last LABEL_TYPE of this thread */
    /* From here on tasks and states of this process are not recorded (a limit was reached, or the tool
     * went to the summary); the library writes it at the limit */
    WATTLE_TASK_CUT = 26,
    /* WATTLE_STATE_ENTER + an enum wattle_state: the thread enters a state; name = what exactly
     * ("MPI_Recv", "solve.c:42"), value = the number of the parallel region, or 0. LEAVE alike. */
    WATTLE_STATE_ENTER = 32,
    WATTLE_STATE_LEAVE = 64
};

enum wattle_state {
    WATTLE_STATE_PARALLEL = 0, /* implicit task in a parallel region */
    WATTLE_STATE_WORK = 1,     /* worksharing */
    WATTLE_STATE_SYNC = 2,     /* barrier, taskwait, taskgroup */
    WATTLE_STATE_IDLE = 3,
    WATTLE_STATE_MPI = 4,
    WATTLE_STATE_IO = 5,
    WATTLE_STATE_LOCK = 6,
    WATTLE_STATE_JOIN = 7,
    WATTLE_STATE_GPU = 8,
    WATTLE_STATE_FUNCTION = 9, /* a user function */
    WATTLE_STATE_OTHER = 10
};

enum wattle_task_key {
    WATTLE_TASK_KEY_TASK = 1,
    WATTLE_TASK_KEY_PEER = 2,  /* rank in MPI_COMM_WORLD of the partner; i64, -1 = any or unknown */
    WATTLE_TASK_KEY_TAG = 3,   /* i64, -1 = any */
    WATTLE_TASK_KEY_BYTES = 4, /* sent; with WATTLE_TASK_KEY_RECEIVED both directions */
    WATTLE_TASK_KEY_COMM = 5,  /* the same number for the same communicator in all its processes */
    WATTLE_TASK_KEY_BIN_NS = 6,
    WATTLE_TASK_KEY_THREADS = 7, /* of the team */
    WATTLE_TASK_KEY_ADDRESS = 8, /* of the code */
    WATTLE_TASK_KEY_REQUEST = 9,
    WATTLE_TASK_KEY_RECEIVED = 10, /* bytes received */
    WATTLE_TASK_KEY_COUNT = 11,    /* of SUM: tasks that ended in the bin */
    WATTLE_TASK_KEY_CORE = 12,     /* CPU on which the thread is */
    /* 1, of the end of a parallel state: the region is over; what still waits in its barrier is idle */
    WATTLE_TASK_KEY_OVER = 13,
    WATTLE_TASK_KEY_CUT = 14,   /* 1: this end is missing; the tool closed what was open */
    WATTLE_TASK_KEY_AGO_NS = 15 /* of SUM, its last detail: the bin ended so long before the mark */
};

/* What follows a mark, at the same time: kind is WATTLE_TASK_DETAIL or WATTLE_TASK_COUNTER. */
struct wattle_task_detail {
    uint32_t kind;
    uint32_t name;
    uint64_t value;
};

#define WATTLE_TASK_DETAILS_MAX 24

/* A task that no thread ran, but a device: a kernel, a copy. Times are CLOCK_MONOTONIC. */
struct wattle_lane_span {
    uint64_t begin_ns, end_ns;
    uint64_t task; /* its number, unique in the process, > 0 */
    uint32_t name; /* its type */
    uint32_t zero;
};

/* Values of LABEL_TYPE that are not types of events: the task runtime of the process, and what it does not report. */
#define WATTLE_TASK_LABEL_RUNTIME 0xffffff00u
#define WATTLE_TASK_LABEL_LOST    0xffffff01u
/* What is not reported if the process ends before it says TOLD, of any name: it was killed, or called exec() or _exit(). */
#define WATTLE_TASK_LABEL_HELD 0xffffff02u
#define WATTLE_TASK_LABEL_TOLD 0xffffff03u

/* 0 = marks are not recorded, 1 = every one, 2 = only the summary (WATTLE_TASK_SUM, LABEL_TYPE,
 * LABEL_VALUE; others are ignored). 1 becomes 2 when the size limit is reached. Cheap. Since 0.1. */
int wattle_task_recording(void);

/* Record a mark of the calling thread. Ignored if the kind is not one of the above. Since 0.1. */
void wattle_task_mark(uint32_t kind, uint32_t name, uint64_t value);

/* The same with what belongs to it, as one: a signal handler's mark never comes between. At most
 * WATTLE_TASK_DETAILS_MAX details; those beyond it, and from the first of another kind on, are left out. Also for details of
 * region marks: kind WATTLE_TASK_COUNTER with the first counter right after the region call. Since 0.1. */
void wattle_task_mark_with(uint32_t kind,
                           uint32_t name,
                           uint64_t value,
                           const struct wattle_task_detail *details,
                           unsigned count);

/*
 * The counters of the calling thread as details for wattle_task_mark_with(), at most `count`; returns how many. 0 if
 * no set is read (WATTLE_TASKS_COUNTERS). Since 0.1.
 */
unsigned wattle_task_counters(struct wattle_task_detail *details, unsigned count);

/*
 * What a lane did, told afterwards: a queue of a device, which runs one task at a time. `lane` is the id of its name
 * (wattle_region_id()): "gpu 0000:65:00.0 stream 7", where "gpu " and the PCI address say whose power it explains. Spans
 * are in the order of their times; one that begins before the end of another of this lane is not recorded. Returns how
 * many were. Takes a lock; not for signal handlers. Since 0.1.
 */
unsigned wattle_lane_spans(uint32_t lane, const struct wattle_lane_span *spans, unsigned count);

#ifdef __cplusplus
}
#endif
#endif
