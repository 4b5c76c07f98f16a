/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks of the threads: what marks open and close. See activity.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/activity_state.h"
#include "base/grow.h"

static struct wtl_activity activity_of(const struct wtl_activity_thread *thread,
                                       const struct wtl_activity_frame *frame,
                                       unsigned what,
                                       uint64_t begin_ns,
                                       uint64_t end_ns)
{
    return (struct wtl_activity){.what = what,
                                 .begin_ns = begin_ns,
                                 .end_ns = end_ns,
                                 .thread = thread->id,
                                 .depth = (uint32_t)(frame - thread->frames),
                                 .kind = frame->kind,
                                 .type = frame->type,
                                 .flags = frame->flags & ~WTL_ACTIVITY_INFERRED,
                                 .core = frame->core,
                                 .task = frame->task,
                                 .peer = frame->message.peer,
                                 .tag = frame->message.tag,
                                 .comm = frame->message.comm,
                                 .bytes = frame->message.bytes};
}

/* The top changes now: what it was since the last change is a segment. */
static int end_segment(struct wtl_activities *a,
                       struct wtl_activity_thread *thread,
                       uint64_t now_ns)
{
    uint64_t since_ns = thread->since_ns;
    thread->since_ns = now_ns;
    thread->border++;
    thread->at_border = true;
    if (thread->depth == 0 || now_ns <= since_ns)
        return 0;
    struct wtl_activity segment = activity_of(thread, &thread->frames[thread->depth - 1],
                                              WTL_ACTIVITY_SEGMENT, since_ns, now_ns);
    return wtl_activity_emit(a, &segment);
}

/* A frame that leaves the thread, from place i. */
static int end_stay(struct wtl_activities *a,
                    struct wtl_activity_thread *thread,
                    size_t i,
                    unsigned flags,
                    uint64_t now_ns)
{
    if (thread->frames[i].flags & WTL_ACTIVITY_INFERRED)
        return 0;
    struct wtl_activity stay = activity_of(thread, &thread->frames[i], WTL_ACTIVITY_STAY,
                                           thread->frames[i].begin_ns, now_ns);
    stay.flags |= flags;
    thread->closed = true;
    thread->closed_type = stay.type;
    thread->closed_begin_ns = stay.begin_ns;
    a->faults.ends_missing += (flags & WTL_ACTIVITY_CUT) != 0 && !a->at_window_end;
    return wtl_activity_emit(a, &stay);
}

/* Close frames from..end-1 from the top down, and move those above down. The first one with `flags`, the
 * others as cut. */
static int close_frames(struct wtl_activities *a,
                        struct wtl_activity_thread *thread,
                        size_t from,
                        size_t end,
                        unsigned flags,
                        uint64_t now_ns)
{
    int rc = end == thread->depth ? end_segment(a, thread, now_ns) : 0;
    for (size_t i = end; i-- > from && rc == 0;)
        rc = end_stay(a, thread, i, i == from ? flags : WTL_ACTIVITY_CUT, now_ns);
    memmove(thread->frames + from, thread->frames + end,
            (thread->depth - end) * sizeof *thread->frames);
    thread->depth -= end - from;
    return rc;
}

static int push(struct wtl_activities *a,
                struct wtl_activity_thread *thread,
                const struct wtl_activity_frame *frame,
                uint64_t now_ns)
{
    if (thread->depth >= WTL_ACTIVITY_DEPTH) {
        a->faults.too_deep++;
        return 0;
    }
    if (wtl_reserve(&thread->frames, &thread->room, thread->depth + 1, sizeof *thread->frames) < 0)
        return -ENOMEM;
    int rc = end_segment(a, thread, now_ns);
    thread->frames[thread->depth] = *frame;
    thread->frames[thread->depth++].begin_ns = now_ns;
    thread->opened = true;
    return rc;
}

static int open_frame(struct wtl_activities *a,
                      struct wtl_activity_thread *thread,
                      int kind,
                      const struct wtl_mark *mark)
{
    struct wtl_activity_frame frame = {
        .kind = kind, .task = mark->value, .core = -1, .message = {.peer = -1, .tag = -1}};
    int64_t type = wtl_activity_type_of(a, kind, mark->name);
    if (type < 0)
        return (int)type;
    frame.type = (uint32_t)type;
    a->types[type].count++;
    return push(a, thread, &frame, mark->time_ns);
}

/* The end of what a task at place i owns: the next task, or the top. */
static size_t end_of_task(const struct wtl_activity_thread *thread, size_t i)
{
    size_t end = i + 1;
    while (end < thread->depth && thread->frames[end].kind != WTL_ACTIVITY_TASK)
        end++;
    return end;
}

/* The innermost open task with this number; the depth if there is none. */
static size_t find_task(const struct wtl_activity_thread *thread, uint64_t task)
{
    for (size_t i = thread->depth; i-- > 0;)
        if (thread->frames[i].kind == WTL_ACTIVITY_TASK && thread->frames[i].task == task)
            return i;
    return thread->depth;
}

static int run_task(struct wtl_activities *a,
                    struct wtl_activity_thread *thread,
                    const struct wtl_mark *mark)
{
    struct wtl_activity_frame *frames = NULL;
    size_t i = find_task(thread, mark->value);
    int rc = 0;
    if (i < thread->depth) /* it runs already: its pause is missing */
        rc = close_frames(a, thread, i, end_of_task(thread, i), WTL_ACTIVITY_CUT, mark->time_ns);
    size_t count = wtl_activity_resume(a, thread->process, mark->value, &frames);
    if (count == 0)
        return rc < 0 ? rc : open_frame(a, thread, WTL_ACTIVITY_TASK, mark);
    for (size_t f = 0; f < count && rc == 0; f++) {
        frames[f].flags |= WTL_ACTIVITY_RESUMED;
        frames[f].core = -1;
        rc = push(a, thread, &frames[f], mark->time_ns);
    }
    free(frames);
    return rc;
}

static int pause_task(struct wtl_activities *a,
                      struct wtl_activity_thread *thread,
                      const struct wtl_mark *mark)
{
    size_t i = find_task(thread, mark->value);
    if (i == thread->depth) {
        a->faults.begins_missing++;
        return 0;
    }
    size_t end = end_of_task(thread, i);
    int rc = wtl_activity_pause(a, thread->process, mark->value, thread->frames + i, end - i);
    if (rc == 0 && end == thread->depth)
        rc = end_segment(a, thread, mark->time_ns);
    for (size_t f = end; f-- > i && rc == 0;)
        rc = end_stay(a, thread, f, WTL_ACTIVITY_PAUSED, mark->time_ns);
    memmove(thread->frames + i, thread->frames + end,
            (thread->depth - end) * sizeof *thread->frames);
    thread->depth -= end - i;
    return rc;
}

static int end_task(struct wtl_activities *a,
                    struct wtl_activity_thread *thread,
                    const struct wtl_mark *mark)
{
    size_t i = find_task(thread, mark->value);
    if (i < thread->depth) {
        a->types[thread->frames[i].type].done++;
        return close_frames(a, thread, i, end_of_task(thread, i), 0, mark->time_ns);
    }
    struct wtl_activity_frame *frames = NULL; /* it was complete before it could resume */
    if (wtl_activity_resume(a, thread->process, mark->value, &frames) > 0)
        a->types[frames[0].type].done++;
    else
        a->faults.begins_missing++;
    free(frames);
    return 0;
}

/* Leave the innermost state of this kind and name, or of this kind if the mark has no name. */
static int leave_state(struct wtl_activities *a,
                       struct wtl_activity_thread *thread,
                       const struct wtl_mark *mark)
{
    int kind = (int)mark->kind - WATTLE_STATE_LEAVE;
    int64_t type = mark->name ? wtl_activity_type_of(a, kind, mark->name) : 0;
    if (type < 0)
        return (int)type;
    for (size_t i = thread->depth; i-- > 0;) {
        const struct wtl_activity_frame *frame = &thread->frames[i];
        if (frame->kind == kind && (mark->name == 0 || frame->type == (uint32_t)type))
            return close_frames(a, thread, i, thread->depth, 0, mark->time_ns);
    }
    a->faults.begins_missing++;
    return 0;
}

/* Regions may cross: only this one is closed. */
static int end_region(struct wtl_activities *a,
                      struct wtl_activity_thread *thread,
                      const struct wtl_mark *mark)
{
    int64_t type = wtl_activity_type_of(a, WTL_ACTIVITY_REGION, mark->name);
    if (type < 0)
        return (int)type;
    for (size_t i = thread->depth; i-- > 0;)
        if (thread->frames[i].kind == WTL_ACTIVITY_REGION &&
            thread->frames[i].type == (uint32_t)type)
            return close_frames(a, thread, i, i + 1, 0, mark->time_ns);
    a->faults.begins_missing++;
    return 0;
}

static int create_task(struct wtl_activities *a,
                       const struct wtl_activity_thread *thread,
                       const struct wtl_mark *mark)
{
    int64_t type = wtl_activity_type_of(a, WTL_ACTIVITY_TASK, mark->name);
    if (type < 0)
        return (int)type;
    struct wtl_activity created = {.what = WTL_ACTIVITY_CREATED,
                                   .begin_ns = mark->time_ns,
                                   .end_ns = mark->time_ns,
                                   .thread = thread->id,
                                   .depth = (uint32_t)thread->depth,
                                   .kind = WTL_ACTIVITY_TASK,
                                   .type = (uint32_t)type,
                                   .core = -1,
                                   .task = mark->value,
                                   .peer = -1,
                                   .tag = -1};
    for (size_t i = thread->depth; i-- > 0 && created.other == 0;)
        if (thread->frames[i].kind == WTL_ACTIVITY_TASK)
            created.other = thread->frames[i].task;
    a->types[type].created++;
    return wtl_activity_emit(a, &created);
}

/* Its details name the tasks before it. */
static int depend(struct wtl_activities *a,
                  struct wtl_activity_thread *thread,
                  const struct wtl_mark *mark)
{
    int64_t type = wtl_activity_type_of(a, WTL_ACTIVITY_TASK, mark->name);
    if (type < 0)
        return (int)type;
    thread->mark_type = (uint32_t)type;
    return 0;
}

/* A bin of the summary; its details tell its length. */
static int take_bin(struct wtl_activities *a,
                    const struct wtl_activity_thread *thread,
                    const struct wtl_mark *mark)
{
    int kind = mark->name ? WTL_ACTIVITY_TASK : WATTLE_STATE_IDLE;
    int64_t type = wtl_activity_type_of(a, kind, mark->name);
    if (type < 0)
        return (int)type;
    struct wtl_activity bin = {.what = WTL_ACTIVITY_BIN,
                               .begin_ns = mark->time_ns,
                               .end_ns = mark->time_ns,
                               .thread = thread->id,
                               .kind = kind,
                               .type = (uint32_t)type,
                               .core = -1,
                               .peer = -1,
                               .tag = -1,
                               .bytes = mark->value};
    a->types[type].time_ns += mark->value;
    return wtl_activity_emit(a, &bin);
}

int wtl_activity_close_thread(struct wtl_activities *a,
                              struct wtl_activity_thread *thread,
                              uint64_t end_ns)
{
    return thread->depth == 0 ? 0
                              : close_frames(a, thread, 0, thread->depth, WTL_ACTIVITY_CUT, end_ns);
}

int wtl_activity_close_process(struct wtl_activities *a, uint32_t process, uint64_t end_ns)
{
    int rc = 0;
    for (size_t i = 0; i < a->thread_room && rc == 0; i++)
        if (a->threads[i] && a->threads[i]->process == process)
            rc = wtl_activity_close_thread(a, a->threads[i], end_ns);
    return rc;
}

int wtl_activity_close_all(struct wtl_activities *a, uint64_t end_ns)
{
    int rc = 0;
    for (size_t i = 0; i < a->thread_room && rc == 0; i++)
        if (a->threads[i])
            rc = wtl_activity_close_thread(a, a->threads[i], end_ns);
    return rc;
}

/* A parallel region is over: threads that wait in it are idle. */
static int activity_idle(struct wtl_activities *a,
                         uint32_t process,
                         uint64_t region,
                         uint64_t now_ns)
{
    struct wtl_activity_frame idle = {.kind = WATTLE_STATE_IDLE,
                                      .flags = WTL_ACTIVITY_INFERRED,
                                      .core = -1,
                                      .message = {.peer = -1, .tag = -1}};
    int64_t type = wtl_activity_type_of(a, WATTLE_STATE_IDLE, 0);
    int rc = type < 0 ? (int)type : 0;
    idle.type = (uint32_t)type;
    for (size_t i = 0; i < a->thread_room && rc == 0; i++) {
        struct wtl_activity_thread *thread = a->threads[i];
        if (!thread || thread->process != process || thread->depth == 0)
            continue;
        const struct wtl_activity_frame *top = &thread->frames[thread->depth - 1];
        if (top->kind != WATTLE_STATE_SYNC || top->task != region)
            continue;
        rc = push(a, thread, &idle, now_ns);
        thread->opened = false; /* by no mark of this thread */
    }
    return rc;
}

/* ---- details ---- */

/* Details and counters: they belong to the mark of their thread before them. What that mark has closed is
 * still in the queue, since it is not delivered before time has gone on. */

/* The entries that the last mark of the thread has made: the next one after *at; NULL at the end. */
static struct wtl_activity_entry *next_of_mark(struct wtl_activities *a,
                                               const struct wtl_activity_thread *thread,
                                               size_t *at)
{
    uint64_t first = thread->mark_at > a->popped ? thread->mark_at - a->popped : 0;
    if (*at < first)
        *at = (size_t)first;
    for (; *at < a->count - a->head; (*at)++) {
        struct wtl_activity_entry *entry = &a->queue[a->head + *at];
        if (entry->activity.thread == thread->id) {
            (*at)++;
            return entry;
        }
    }
    return NULL;
}

static void set_message(struct wtl_activity *activity, const struct wtl_activity_message *message)
{
    activity->peer = message->peer;
    activity->tag = message->tag;
    activity->comm = message->comm;
    activity->bytes = message->bytes;
}

/* Partner, tag and bytes of what was opened or closed. */
static void apply_message(struct wtl_activities *a, struct wtl_activity_thread *thread)
{
    struct wtl_activity_entry *entry;
    size_t at = 0;
    if (thread->opened && thread->depth > 0)
        thread->frames[thread->depth - 1].message = thread->message;
    while (!thread->opened && (entry = next_of_mark(a, thread, &at)))
        if (entry->activity.what & (WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_STAY))
            set_message(&entry->activity, &thread->message);
}

static int send_message(struct wtl_activities *a,
                        struct wtl_activity_thread *thread,
                        const struct wtl_mark *mark)
{
    struct wtl_activity message = {.what = WTL_ACTIVITY_MESSAGE,
                                   .begin_ns = mark->time_ns,
                                   .end_ns = mark->time_ns,
                                   .thread = thread->id,
                                   .kind = WATTLE_STATE_MPI,
                                   .core = -1};
    int64_t type = wtl_activity_type_of(a, WATTLE_STATE_MPI, 0);
    if (type < 0)
        return (int)type;
    message.type = (uint32_t)type;
    if (thread->opened && thread->depth > 0) {
        message.type = thread->frames[thread->depth - 1].type;
    } else if (thread->closed) {
        message.type = thread->closed_type;
        message.begin_ns = thread->closed_begin_ns;
    }
    set_message(&message, &thread->message);
    message.bytes = mark->value;
    message.flags = mark->name == WATTLE_TASK_KEY_RECEIVED ? WTL_ACTIVITY_RECEIVED : 0;
    return wtl_activity_emit(a, &message);
}

static int add_edge(struct wtl_activities *a,
                    const struct wtl_activity_thread *thread,
                    const struct wtl_mark *mark)
{
    struct wtl_activity edge = {.what = WTL_ACTIVITY_EDGE,
                                .begin_ns = mark->time_ns,
                                .end_ns = mark->time_ns,
                                .thread = thread->id,
                                .kind = WTL_ACTIVITY_TASK,
                                .type = thread->mark_type,
                                .core = -1,
                                .task = thread->mark_task,
                                .other = mark->value,
                                .peer = -1,
                                .tag = -1};
    return thread->mark_kind == WATTLE_TASK_AFTER ? wtl_activity_emit(a, &edge) : 0;
}

/* Length of a bin, the tasks that ended in it, or when it ended. */
static void set_bin(struct wtl_activities *a,
                    const struct wtl_activity_thread *thread,
                    const struct wtl_mark *mark)
{
    struct wtl_activity_entry *entry;
    size_t at = 0;
    while ((entry = next_of_mark(a, thread, &at))) {
        struct wtl_activity *bin = &entry->activity;
        if (bin->what != WTL_ACTIVITY_BIN)
            continue;
        if (mark->name == WATTLE_TASK_KEY_BIN_NS) {
            bin->begin_ns = mark->value < bin->end_ns ? bin->end_ns - mark->value : 0;
        } else if (mark->name == WATTLE_TASK_KEY_COUNT) {
            bin->other = mark->value;
            a->types[bin->type].done += mark->value;
        } else if (mark->name == WATTLE_TASK_KEY_AGO_NS && mark->value <= bin->begin_ns) {
            bin->begin_ns -= mark->value;
            bin->end_ns -= mark->value;
        }
    }
}

/* The tool found that the end is missing. */
static void set_cut(struct wtl_activities *a, const struct wtl_activity_thread *thread)
{
    struct wtl_activity_entry *entry;
    size_t at = 0;
    while ((entry = next_of_mark(a, thread, &at)))
        if (entry->activity.what & (WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_STAY))
            entry->activity.flags |= WTL_ACTIVITY_CUT;
    a->faults.ends_missing += !a->at_window_end;
}

/* Of a message; false: the detail is another one. */
static bool take_message(struct wtl_activity_thread *thread, const struct wtl_mark *mark)
{
    switch (mark->name) {
    case WATTLE_TASK_KEY_PEER:
        thread->message.peer = (int64_t)mark->value;
        return true;
    case WATTLE_TASK_KEY_TAG:
        thread->message.tag = (int64_t)mark->value;
        return true;
    case WATTLE_TASK_KEY_COMM:
        thread->message.comm = mark->value;
        return true;
    case WATTLE_TASK_KEY_BYTES:
    case WATTLE_TASK_KEY_RECEIVED:
        thread->message.bytes = mark->value;
        return true;
    default:
        return false;
    }
}

static void set_core(struct wtl_activity_thread *thread, uint64_t core)
{
    if (thread->opened && thread->depth > 0 && core <= INT32_MAX)
        thread->frames[thread->depth - 1].core = (int32_t)core;
}

/* ---- activity_detail.c ---- */
static int activity_detail(struct wtl_activities *a,
                           struct wtl_activity_thread *thread,
                           const struct wtl_mark *mark)
{
    uint32_t key = mark->name;
    if (take_message(thread, mark)) {
        apply_message(a, thread);
        return key == WATTLE_TASK_KEY_BYTES || key == WATTLE_TASK_KEY_RECEIVED
                   ? send_message(a, thread, mark)
                   : 0;
    }
    if (key == WATTLE_TASK_KEY_TASK)
        return add_edge(a, thread, mark);
    if (key == WATTLE_TASK_KEY_OVER &&
        thread->mark_kind == WATTLE_STATE_LEAVE + WATTLE_STATE_PARALLEL)
        return activity_idle(a, thread->process, thread->mark_task, mark->time_ns);
    if (key == WATTLE_TASK_KEY_CORE)
        set_core(thread, mark->value);
    else if (key == WATTLE_TASK_KEY_CUT)
        set_cut(a, thread);
    else if (thread->mark_kind == WATTLE_TASK_SUM)
        set_bin(a, thread, mark);
    return 0;
}

/* Add a counter to an entry; those of an entry are together in the pool. */
static int add_counter(struct wtl_activities *a,
                       struct wtl_activity_entry *entry,
                       struct wtl_activity_counter counter)
{
    size_t have = entry->activity.counter_count;
    if (wtl_reserve(&a->pool, &a->pool_room, a->pool_count + have + 1, sizeof *a->pool) < 0)
        return -ENOMEM;
    if (have == 0 || entry->counters + have != a->pool_count) {
        for (size_t i = 0; i < have; i++)
            a->pool[a->pool_count + i] = a->pool[entry->counters + i];
        entry->counters = a->pool_count;
        a->pool_count += have;
    }
    a->pool[a->pool_count++] = counter;
    entry->activity.counter_count++;
    entry->activity.flags |= WTL_ACTIVITY_COUNTED;
    return 0;
}

/* ---- activity_detail.c ---- */
static int activity_count(struct wtl_activities *a,
                          struct wtl_activity_thread *thread,
                          const struct wtl_mark *mark)
{
    int64_t counter = wtl_activity_counter_of(a, mark->name);
    size_t at = 0;
    struct wtl_activity_entry *entry;
    int rc = 0;
    if (counter < 0)
        return (int)counter;
    if (!thread->at_border)
        return 0;
    if (wtl_reserve_zeroed(&thread->values, &thread->value_room, (size_t)counter + 1,
                           sizeof *thread->values) < 0)
        return -ENOMEM;
    struct wtl_activity_value *value = &thread->values[counter];
    bool known = value->border > 0 && value->border + 1 == thread->border;
    while (known && rc == 0 && (entry = next_of_mark(a, thread, &at)))
        if (entry->activity.what == WTL_ACTIVITY_SEGMENT)
            rc = add_counter(a, entry,
                             (struct wtl_activity_counter){.counter = (uint32_t)counter,
                                                           .value = mark->value - value->value});
    *value = (struct wtl_activity_value){.value = mark->value, .border = thread->border};
    return rc;
}

/* ---- marks ---- */

/* Remember what details of this mark would belong to. */
static void begin_mark(const struct wtl_activities *a,
                       struct wtl_activity_thread *thread,
                       const struct wtl_mark *mark)
{
    thread->at_border = thread->opened = thread->closed = false;
    thread->mark_at = a->popped + (a->count - a->head);
    thread->mark_kind = (uint32_t)mark->kind;
    thread->mark_task = mark->value;
    thread->message = (struct wtl_activity_message){.peer = -1, .tag = -1};
}

int wtl_activity_take(struct wtl_activities *a,
                      struct wtl_activity_thread *thread,
                      const struct wtl_mark *mark)
{
    uint32_t kind = (uint32_t)mark->kind;
    if (kind == WATTLE_TASK_DETAIL)
        return activity_detail(a, thread, mark);
    if (kind == WATTLE_TASK_COUNTER)
        return activity_count(a, thread, mark);
    begin_mark(a, thread, mark);
    if (kind >= WATTLE_STATE_LEAVE)
        return leave_state(a, thread, mark);
    if (kind >= WATTLE_STATE_ENTER)
        return open_frame(a, thread, (int)kind - WATTLE_STATE_ENTER, mark);
    switch (kind) {
    case WATTLE_TASK_CREATE:
        return create_task(a, thread, mark);
    case WATTLE_TASK_RUN:
        return run_task(a, thread, mark);
    case WATTLE_TASK_PAUSE:
        return pause_task(a, thread, mark);
    case WATTLE_TASK_DONE:
        return end_task(a, thread, mark);
    case WATTLE_TASK_AFTER:
        return depend(a, thread, mark);
    case WATTLE_TASK_SUM:
        return take_bin(a, thread, mark);
    case WATTLE_TASK_LABEL_TYPE:
    case WATTLE_TASK_LABEL_VALUE:
        return wtl_event_labels_take(&a->labels, mark);
    case WTL_MARK_BEGIN:
        return open_frame(a, thread, WTL_ACTIVITY_REGION, mark);
    case WTL_MARK_END:
        return end_region(a, thread, mark);
    default:
        return 0;
    }
}
