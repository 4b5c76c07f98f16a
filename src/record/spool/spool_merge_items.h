/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of a merge: a heap of threads and spools ordered by time, or a plain list of them. */
#ifndef WTL_RECORD_SPOOL_MERGE_ITEMS_H
#define WTL_RECORD_SPOOL_MERGE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/spool/spool_merge_source.h"
#include "trace/spool/spool.h"

struct wtl_spool_merge_item {
    uint64_t time_ns;
    size_t source;
    size_t thread;
    uint32_t thread_id;              /* in the trace */
    struct wtl_spool_cursor *cursor; /* NULL: the thread, or the whole source, must be opened
                                      * first */
    struct wtl_mark mark;
    struct wtl_spool_merge_marks known; /* left to skip */
    bool whole_source;
};

struct wtl_spool_merge_items {
    struct wtl_spool_merge_item **items; /* in a heap: [0] is the earliest */
    size_t count, room;
};

/* Append an item, or push it onto the heap, which then owns it. 0 or -ENOMEM. */
int wtl_spool_merge_items_add(struct wtl_spool_merge_items *items,
                              struct wtl_spool_merge_item *item);
int wtl_spool_merge_items_push(struct wtl_spool_merge_items *heap,
                               struct wtl_spool_merge_item *item);

/* Pop the earliest item of a non-empty heap; the caller owns it. */
struct wtl_spool_merge_item *wtl_spool_merge_items_pop(struct wtl_spool_merge_items *heap);

void wtl_spool_merge_item_free(struct wtl_spool_merge_item *item);
void wtl_spool_merge_items_fini(struct wtl_spool_merge_items *items);

#endif
