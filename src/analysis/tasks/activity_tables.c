/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of a pass over activities: types, counters, events. */
#include <errno.h>

#include "analysis/tasks/activity_state.h"
#include "base/grow.h"

static const char *text_of(const struct wtl_activities *a, uint32_t name)
{
    const char *text = name > 0 ? wtl_trace_reader_string(a->reader, name) : NULL;
    return text ? text : "";
}

static size_t index_of_kind(int kind)
{
    if (kind == WTL_ACTIVITY_TASK)
        return WATTLE_STATE_OTHER + 1;
    return kind == WTL_ACTIVITY_REGION ? WATTLE_STATE_OTHER + 2 : (size_t)kind;
}

int64_t wtl_activity_type_of(struct wtl_activities *a, int kind, uint32_t name)
{
    size_t k = index_of_kind(kind);
    int64_t known = wtl_id_map_index(&a->kinds[k].map, name);
    if (known < 0)
        return known;
    if (wtl_reserve_zeroed(&a->kinds[k].types, &a->kinds[k].room, (size_t)known + 1,
                           sizeof *a->kinds[k].types) < 0)
        return -ENOMEM;
    uint32_t *type = &a->kinds[k].types[known]; /* index + 1 */
    if (*type == 0) {
        if (wtl_reserve(&a->types, &a->type_room, a->type_count + 1, sizeof *a->types) < 0)
            return -ENOMEM;
        a->types[a->type_count++] =
            (struct wtl_activity_type){.name = text_of(a, name), .kind = kind};
        *type = (uint32_t)a->type_count;
    }
    return (int64_t)*type - 1;
}

int64_t wtl_activity_counter_of(struct wtl_activities *a, uint32_t name)
{
    int64_t known = wtl_id_map_index(&a->counter_map, name);
    if (known < 0 || (size_t)known < a->counter_count)
        return known;
    if (wtl_reserve(&a->counters, &a->counter_room, a->counter_count + 1, sizeof *a->counters) < 0)
        return -ENOMEM;
    a->counters[a->counter_count++] = text_of(a, name);
    return known;
}

void wtl_activity_tables_fini(struct wtl_activities *a)
{
    for (size_t k = 0; k < WTL_ACTIVITY_KINDS; k++) {
        free(a->kinds[k].map.slots);
        free(a->kinds[k].types);
    }
    free(a->counter_map.slots);
    free(a->types);
    free((void *)a->counters);
    wtl_event_labels_fini(&a->labels);
}

size_t wtl_activities_type_count(const struct wtl_activities *a)
{
    return a->type_count;
}

const struct wtl_activity_type *wtl_activities_type(const struct wtl_activities *a, size_t i)
{
    return i < a->type_count ? &a->types[i] : NULL;
}

const char *wtl_activities_counter(const struct wtl_activities *a, size_t i)
{
    return i < a->counter_count ? a->counters[i] : NULL;
}

const struct wtl_event_labels *wtl_activities_labels(const struct wtl_activities *a)
{
    return &a->labels;
}

const char *wtl_activity_kind_name(int kind)
{
    static const char *const names[] = {
        [WATTLE_STATE_PARALLEL] = "parallel", [WATTLE_STATE_WORK] = "worksharing",
        [WATTLE_STATE_SYNC] = "barrier",      [WATTLE_STATE_IDLE] = "idle",
        [WATTLE_STATE_MPI] = "MPI",           [WATTLE_STATE_IO] = "I/O",
        [WATTLE_STATE_LOCK] = "lock",         [WATTLE_STATE_JOIN] = "join",
        [WATTLE_STATE_GPU] = "GPU wait",      [WATTLE_STATE_FUNCTION] = "function",
        [WATTLE_STATE_OTHER] = "other"};
    if (kind == WTL_ACTIVITY_TASK)
        return "task";
    if (kind == WTL_ACTIVITY_REGION)
        return "region";
    return kind >= 0 && kind <= WATTLE_STATE_OTHER ? names[kind] : "unknown";
}

bool wtl_activity_is_work(int kind)
{
    return kind == WTL_ACTIVITY_TASK || kind == WTL_ACTIVITY_REGION ||
           kind == WATTLE_STATE_PARALLEL || kind == WATTLE_STATE_WORK ||
           kind == WATTLE_STATE_FUNCTION;
}
