/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of events: see event_labels.h. */
#include "trace/regions/event_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/task.h>

#include "base/grow.h"
#include "base/hash.h"

enum { LABELS_MAX = 1 << 16, FIRST_SLOTS = 64 };

void wtl_event_labels_init(struct wtl_event_labels *labels, const struct wtl_trace_reader *reader)
{
    *labels = (struct wtl_event_labels){.reader = reader};
}

void wtl_event_labels_fini(struct wtl_event_labels *labels)
{
    free(labels->labels);
    free(labels->slots);
    free(labels->threads.slots);
    free(labels->last);
    *labels = (struct wtl_event_labels){.reader = NULL};
}

static bool is_same(const struct wtl_event_label *a, const struct wtl_event_label *b)
{
    return a->type == b->type && a->of_value == b->of_value && a->value == b->value;
}

/* Where a label is, or belongs. */
static uint32_t slot_of(const struct wtl_event_labels *labels, const struct wtl_event_label *label)
{
    const uint32_t mask = labels->slot_count - 1;
    uint64_t hash = wtl_hash_bytes(WTL_HASH_START, &label->type, sizeof label->type);
    hash = wtl_hash_bytes(hash, &label->value, sizeof label->value) + label->of_value;
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & mask;
    while (labels->slots[at] && !is_same(&labels->labels[labels->slots[at] - 1], label))
        at = (at + 1) & mask;
    return at;
}

static int grow(struct wtl_event_labels *labels)
{
    uint32_t *old = labels->slots;
    uint32_t count = labels->slot_count ? 2 * labels->slot_count : FIRST_SLOTS;
    if (2 * (labels->count + 1) <= labels->slot_count)
        return 0;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return -ENOMEM;
    free(old);
    labels->slots = slots;
    labels->slot_count = count;
    for (size_t i = 0; i < labels->count; i++)
        slots[slot_of(labels, &labels->labels[i])] = (uint32_t)i + 1;
    return 0;
}

static int store_label(struct wtl_event_labels *labels, const struct wtl_event_label *label)
{
    int rc = grow(labels);
    if (rc < 0)
        return rc;
    uint32_t *slot = &labels->slots[slot_of(labels, label)];
    if (*slot) {
        labels->labels[*slot - 1].name = label->name;
        return 0;
    }
    if (labels->count == LABELS_MAX)
        return 0;
    rc = wtl_reserve(&labels->labels, &labels->room, labels->count + 1, sizeof *labels->labels);
    if (rc < 0)
        return rc;
    labels->labels[labels->count++] = *label;
    *slot = (uint32_t)labels->count;
    return 0;
}

int wtl_event_labels_take(struct wtl_event_labels *labels, const struct wtl_mark *mark)
{
    int64_t thread = wtl_id_map_index(&labels->threads, mark->thread);
    if (thread < 0)
        return (int)thread;
    if (wtl_reserve_zeroed(&labels->last, &labels->last_room, (size_t)thread + 1,
                           sizeof *labels->last) < 0)
        return -ENOMEM;
    struct wtl_event_label label = {.name = mark->name};
    label.of_value = (uint32_t)mark->kind == WATTLE_TASK_LABEL_VALUE;
    if (!label.of_value)
        labels->last[thread] = (uint32_t)mark->value;
    label.type = labels->last[thread];
    label.value = label.of_value ? mark->value : 0;
    return store_label(labels, &label);
}

int wtl_event_labels_read(struct wtl_event_labels *labels,
                          struct wtl_trace_reader *reader,
                          struct wattle_error *err)
{
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    wtl_event_labels_init(labels, reader);
    int rc = wtl_trace_marks_open_of(reader, WTL_MARKS_TASKS, WTL_ALL_THREADS, &marks, err);
    while (rc >= 0 && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0) {
        if ((uint32_t)mark.kind == WATTLE_TASK_LABEL_TYPE ||
            (uint32_t)mark.kind == WATTLE_TASK_LABEL_VALUE)
            rc = wtl_event_labels_take(labels, &mark);
    }
    wtl_trace_marks_close(marks);
    return rc < 0 ? rc : 0;
}

static const char *find(const struct wtl_event_labels *labels, const struct wtl_event_label *label)
{
    uint32_t at = labels->count ? labels->slots[slot_of(labels, label)] : 0;
    uint32_t name = at ? labels->labels[at - 1].name : 0;
    return name ? wtl_trace_reader_string(labels->reader, name) : NULL;
}

const char *wtl_event_labels_type(const struct wtl_event_labels *labels, uint32_t type)
{
    const struct wtl_event_label label = {.type = type};
    return find(labels, &label);
}

const char *wtl_event_labels_value(const struct wtl_event_labels *labels,
                                   uint32_t type,
                                   uint64_t value)
{
    const struct wtl_event_label label = {.type = type, .value = value, .of_value = true};
    return find(labels, &label);
}
