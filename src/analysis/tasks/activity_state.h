/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a pass over activities (activity.h), shared by activity.c, which reads and delivers,
 * activity_stack.c, which knows the stacks and the details of marks, and activity_tables.c, which knows the names. */
#ifndef WTL_ANALYSIS_ACTIVITY_STATE_H
#define WTL_ANALYSIS_ACTIVITY_STATE_H

#include "analysis/tasks/activity.h"
#include "trace/id_map.h"

enum { WTL_ACTIVITY_DEPTH = 4096, WTL_ACTIVITY_KINDS = WATTLE_STATE_OTHER + 3 };

struct wtl_activity_message {
    int64_t peer, tag;
    uint64_t comm, bytes;
};

/* Flag of a frame that no mark opened: it is in no fault and no stay. */
#define WTL_ACTIVITY_INFERRED 0x80000000u

/* Something that is open on a thread. */
struct wtl_activity_frame {
    int kind;
    uint32_t type;
    uint64_t task; /* or number of the parallel region */
    uint64_t begin_ns;
    unsigned flags;
    int32_t core;
    struct wtl_activity_message message;
};

struct wtl_activity_value {
    uint64_t value;
    uint64_t border; /* at which it was read; 0 = never */
};

struct wtl_activity_thread {
    uint32_t id, process;
    struct wtl_activity_frame *frames;
    size_t depth, room;
    uint64_t since_ns; /* the top is the same since */
    uint64_t border;   /* number of changes of the top */
    bool at_border;    /* the last mark was one */
    uint64_t mark_at;  /* what the last mark gave: entries of the queue from this number on */
    bool opened;       /* the last mark opened the frame on top */
    bool closed;       /* it closed this frame, as the last one */
    uint32_t closed_type;
    uint64_t closed_begin_ns;
    uint32_t mark_kind;
    uint64_t mark_task;
    uint32_t mark_type;
    struct wtl_activity_message message; /* details so far */
    struct wtl_activity_value *values;   /* by counter */
    size_t value_room;
};

/* The frames of a task that is on no thread. */
struct wtl_activity_paused {
    uint64_t key; /* the task's number */
    uint32_t process;
    uint32_t count; /* 0 = free */
    struct wtl_activity_frame *frames;
};

struct wtl_activity_entry {
    struct wtl_activity activity;
    size_t counters; /* index of the first in the pool */
};

struct wtl_activities {
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
    struct wtl_activity_options options;
    struct wtl_activity_faults faults;
    uint64_t now_ns; /* time of the last mark */
    bool ended;
    bool at_window_end; /* what is open now ends later, outside of the window */

    struct wtl_activity_thread **threads; /* by id; NULL = not seen */
    size_t thread_room;
    struct wtl_activity_paused *paused; /* hash table */
    size_t paused_room, paused_count;
    bool *cut; /* by process */
    size_t cut_room;

    struct wtl_activity_entry *queue; /* what has ended */
    size_t head, count, queue_room;
    uint64_t popped; /* entries that have left it: number of queue[head] */
    struct wtl_activity_counter *pool;
    size_t pool_count, pool_room;

    struct wtl_activity_type *types;
    size_t type_count, type_room;
    struct {
        struct wtl_id_map map; /* of names, to indices of `types` */
        uint32_t *types;
        size_t room;
    } kinds[WTL_ACTIVITY_KINDS];
    struct wtl_id_map counter_map;
    const char **counters;
    size_t counter_count, counter_room;
    struct wtl_event_labels labels;
};

/* ---- activity_stack.c: 0 or -errno ---- */

int wtl_activity_take(struct wtl_activities *a,
                      struct wtl_activity_thread *thread,
                      const struct wtl_mark *mark);
int wtl_activity_close_thread(struct wtl_activities *a,
                              struct wtl_activity_thread *thread,
                              uint64_t end_ns);
int wtl_activity_close_process(struct wtl_activities *a, uint32_t process, uint64_t end_ns);
int wtl_activity_close_all(struct wtl_activities *a, uint64_t end_ns);

/* ---- activity_paused.c ---- */

/* Keep the frames of a task, [count > 0] of them; a task that is kept already is replaced. */
int wtl_activity_pause(struct wtl_activities *a,
                       uint32_t process,
                       uint64_t task,
                       const struct wtl_activity_frame *frames,
                       size_t count);
/* Its frames, which the caller frees, and their number; 0 = it is not kept. */
size_t wtl_activity_resume(struct wtl_activities *a,
                           uint32_t process,
                           uint64_t task,
                           struct wtl_activity_frame **ret_frames);
void wtl_activity_paused_fini(struct wtl_activities *a);

/* ---- activity_tables.c ---- */

int64_t wtl_activity_type_of(struct wtl_activities *a, int kind, uint32_t name);
int64_t wtl_activity_counter_of(struct wtl_activities *a, uint32_t name);
void wtl_activity_tables_fini(struct wtl_activities *a);

/* ---- activity_queue.c ---- */

/* Deliver an activity, if it is wanted and in the window. */
int wtl_activity_emit(struct wtl_activities *a, const struct wtl_activity *activity);
/* The oldest one, once time has gone on: what belongs to it has then arrived. */
bool wtl_activity_pop(struct wtl_activities *a, struct wtl_activity *ret);

#endif
