/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap of a merge, see spool_merge_items.h: binary, by time. */
#include "record/spool/spool_merge_items.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

int wtl_spool_merge_items_add(struct wtl_spool_merge_items *items,
                              struct wtl_spool_merge_item *item)
{
    if (wtl_reserve(&items->items, &items->room, items->count + 1,
                    sizeof(struct wtl_spool_merge_item *)) < 0)
        return -ENOMEM;
    items->items[items->count++] = item;
    return 0;
}

static bool before(const struct wtl_spool_merge_item *a, const struct wtl_spool_merge_item *b)
{
    return a->time_ns < b->time_ns;
}

int wtl_spool_merge_items_push(struct wtl_spool_merge_items *heap,
                               struct wtl_spool_merge_item *item)
{
    size_t at = heap->count;
    int rc = wtl_spool_merge_items_add(heap, item);

    if (rc < 0)
        return rc;
    for (; at > 0 && before(item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
    return 0;
}

struct wtl_spool_merge_item *wtl_spool_merge_items_pop(struct wtl_spool_merge_items *heap)
{
    struct wtl_spool_merge_item *first = heap->items[0];
    struct wtl_spool_merge_item *moved = heap->items[--heap->count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < heap->count && before(heap->items[child + 1], heap->items[child]))
            child++;
        if (child >= heap->count || !before(heap->items[child], moved))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = moved;
    return first;
}

void wtl_spool_merge_item_free(struct wtl_spool_merge_item *item)
{
    free(item->cursor);
    free(item);
}

void wtl_spool_merge_items_fini(struct wtl_spool_merge_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        wtl_spool_merge_item_free(items->items[i]);
    free(items->items);
    *items = (struct wtl_spool_merge_items){0};
}
