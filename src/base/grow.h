/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists that grow: twice as long each time, so that adding one costs the same however many there are. */
#ifndef WTL_BASE_GROW_H
#define WTL_BASE_GROW_H

#include <stdlib.h>

/*
 * The list (NULL at first), with room for one item of `size` bytes behind its `count`: the same, or moved and *room made longer,
 * at first `first` items. NULL: out of memory, and the list is as it was. No item has 0 bytes.
 */
static inline void *wtl_grow(void *items, size_t count, size_t *room, size_t first, size_t size)
{
    if (items && count < *room)
        return items;
    size_t wanted = *room ? 2 * *room : first;
    void *grown = wanted <= (size_t)-1 / size ? realloc(items, wanted * size) : NULL;
    if (grown)
        *room = wanted;
    return grown;
}

#endif
