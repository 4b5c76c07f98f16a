/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program calls its event types and their values (wattle_event()), by its marks WATTLE_TASK_LABEL_TYPE and _VALUE. */
#ifndef WTL_TRACE_EVENT_LABELS_H
#define WTL_TRACE_EVENT_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/id_map.h"
#include "trace/reader.h"

struct wtl_event_labels {
    const struct wtl_trace_reader *reader; /* its strings */
    struct wtl_event_label {
        uint64_t value;
        uint32_t type;
        uint32_t name;
        bool of_value;
    } * labels;
    uint32_t *slots; /* hash table: index + 1; 0 = free */
    uint32_t slot_count;
    size_t count, room;
    struct wtl_id_map threads; /* to indices of the next */
    uint32_t *last;            /* the last LABEL_TYPE of each thread */
    size_t last_room;
};

void wtl_event_labels_init(struct wtl_event_labels *labels, const struct wtl_trace_reader *reader);
void wtl_event_labels_fini(struct wtl_event_labels *labels);

/* A mark of one of these kinds, in the order of the thread. Of several for the same the last counts; beyond 65536 no new
 * ones are kept. 0 or -ENOMEM. */
int wtl_event_labels_take(struct wtl_event_labels *labels, const struct wtl_mark *mark);

/* All of the trace, in one pass over its marks of tasks, if there are any. 0, -ENOMEM, or the reader's error. */
int wtl_event_labels_read(struct wtl_event_labels *labels,
                          struct wtl_trace_reader *reader,
                          struct wattle_error *err);

/* The text of an event type, of a value; NULL = none. */
const char *wtl_event_labels_type(const struct wtl_event_labels *labels, uint32_t type);
const char *wtl_event_labels_value(const struct wtl_event_labels *labels,
                                   uint32_t type,
                                   uint64_t value);

#endif
