/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists that grow: twice as long each time, so that adding one costs the same however many there are. */
#ifndef WTL_BASE_GROW_H
#define WTL_BASE_GROW_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room for one item of `size` bytes behind the `count` of a list. items: where the list is pointed to (NULL at first); it may be
 * moved. How much room there is follows from the count, so a list that grows this way grows in no other. 0, or -ENOMEM,
 * and the list is as it was.
 */
static inline int wtl_grow(void *items, size_t count, size_t size)
{
    const size_t first = 4;
    void *list;
    if (count > 0 && (count < first || (count & (count - 1)) != 0))
        return 0;
    size_t wanted = count > 0 ? 2 * count : first;
    memcpy(&list, items, sizeof list);
    list = wanted <= (size_t)-1 / size ? realloc(list, wanted * size) : NULL;
    if (!list)
        return -ENOMEM;
    memcpy(items, &list, sizeof list);
    return 0;
}

#endif
