/* SPDX-License-Identifier: BSD-3-Clause */
/* Details and counters: they belong to the mark of their thread before them. What that mark has closed is
 * still in the queue, since it is not delivered before time has gone on. */
#include <errno.h>

#include "analysis/tasks/activity_state.h"
#include "base/grow.h"

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

int wtl_activity_detail(struct wtl_activities *a,
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
        return wtl_activity_idle(a, thread->process, thread->mark_task, mark->time_ns);
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

int wtl_activity_count(struct wtl_activities *a,
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
