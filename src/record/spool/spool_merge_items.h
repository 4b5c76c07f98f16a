/* SPDX-License-Identifier: BSD-3-Clause */
/* What waits in a merge: a heap of threads and spools by their time, or a plain row of them. */
#ifndef WTL_RECORD_SPOOL_MERGE_ITEMS_H
#define WTL_RECORD_SPOOL_MERGE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/spool/spool.h"

struct wtl_spool_merge_item {
    uint64_t time_ns;
    size_t source;
    size_t thread;
    uint32_t thread_id;              /* in the trace */
    struct wtl_spool_cursor *cursor; /* NULL: the thread, or the whole source, is to be opened */
    struct wtl_mark mark;
    bool whole_source;
};

struct wtl_spool_merge_items {
    struct wtl_spool_merge_item **items; /* of a heap: [0] is the earliest */
    size_t count, room;
};

/* One more at the end, or into the heap: its own from then on. 0 or -ENOMEM. */
int wtl_spool_merge_items_add(struct wtl_spool_merge_items *items,
                              struct wtl_spool_merge_item *item);
int wtl_spool_merge_items_push(struct wtl_spool_merge_items *heap,
                               struct wtl_spool_merge_item *item);

/* The earliest of a heap that is not empty, the caller's from then on. */
struct wtl_spool_merge_item *wtl_spool_merge_items_pop(struct wtl_spool_merge_items *heap);

void wtl_spool_merge_item_free(struct wtl_spool_merge_item *item);
void wtl_spool_merge_items_fini(struct wtl_spool_merge_items *items);

#endif
