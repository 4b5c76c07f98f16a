/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of activities that have ended, in that order. */
#include <errno.h>
#include <string.h>

#include "analysis/tasks/activity_state.h"
#include "base/grow.h"

enum { COMPACT_AT = 4096 }; /* delivered entries */

static void add_time(struct wtl_activities *a, const struct wtl_activity *segment)
{
    uint64_t begin_ns = segment->begin_ns, end_ns = segment->end_ns;
    if (begin_ns < a->options.begin_ns)
        begin_ns = a->options.begin_ns;
    if (end_ns > a->options.end_ns)
        end_ns = a->options.end_ns;
    if (end_ns > begin_ns)
        a->types[segment->type].time_ns += end_ns - begin_ns;
}

/* Give up the room of entries that have been delivered, and of their counters. */
static void compact(struct wtl_activities *a)
{
    size_t kept = a->count - a->head, first = a->pool_count;
    memmove(a->queue, a->queue + a->head, kept * sizeof *a->queue);
    a->head = 0;
    a->count = kept;
    for (size_t i = 0; i < kept; i++)
        if (a->queue[i].activity.counter_count > 0 && a->queue[i].counters < first)
            first = a->queue[i].counters;
    if (first > 0 && a->pool_count > first)
        memmove(a->pool, a->pool + first, (a->pool_count - first) * sizeof *a->pool);
    a->pool_count -= first;
    for (size_t i = 0; i < kept; i++)
        if (a->queue[i].activity.counter_count > 0)
            a->queue[i].counters -= first;
}

int wtl_activity_emit(struct wtl_activities *a, const struct wtl_activity *activity)
{
    bool instant = activity->begin_ns == activity->end_ns;
    if (activity->what == WTL_ACTIVITY_SEGMENT)
        add_time(a, activity);
    if (!(a->options.what & activity->what) || activity->begin_ns >= a->options.end_ns ||
        (instant ? activity->end_ns < a->options.begin_ns
                 : activity->end_ns <= a->options.begin_ns))
        return 0;
    if (a->head >= COMPACT_AT)
        compact(a);
    if (wtl_reserve(&a->queue, &a->queue_room, a->count + 1, sizeof *a->queue) < 0)
        return -ENOMEM;
    a->queue[a->count++] = (struct wtl_activity_entry){.activity = *activity};
    return 0;
}

bool wtl_activity_pop(struct wtl_activities *a, struct wtl_activity *ret)
{
    if (a->head == a->count) {
        a->head = a->count = a->pool_count = 0;
        return false;
    }
    const struct wtl_activity_entry *entry = &a->queue[a->head];
    if (!a->ended && entry->activity.end_ns >= a->now_ns)
        return false;
    *ret = entry->activity;
    ret->counters = ret->counter_count > 0 ? a->pool + entry->counters : NULL;
    a->head++;
    a->popped++;
    return true;
}
