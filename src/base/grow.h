/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growing lists: the size doubles each time, so that appending has constant amortised cost. Nothing else
 * calls realloc() (checked by check-style), so that no size overflows and existing items are kept when memory
 * runs out.
 */
#ifndef WTL_BASE_GROW_H
#define WTL_BASE_GROW_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make room for one item of `size` bytes after the `count` items of a list. items: address of the list
 * pointer (NULL at first); the list may move. The capacity is derived from the count, so a list that grows
 * this way must not grow in any other way. 0, or -ENOMEM with the list unchanged.
 */
static inline int wtl_grow(void *items, size_t count, size_t size)
{
    const size_t first = 4;
    void *list;
    if (count > 0 && (count < first || (count & (count - 1)) != 0))
        return 0;
    size_t wanted = count > 0 ? 2 * count : first;
    memcpy(&list, items, sizeof list);
    list = wanted > count && wanted <= (size_t)-1 / size ? realloc(list, wanted * size) : NULL;
    if (!list)
        return -ENOMEM;
    memcpy(items, &list, sizeof list);
    return 0;
}

/*
 * Make room for `wanted` items in a list whose capacity is stored separately, or is its count if it is
 * unknown. 0, or -ENOMEM with list and capacity unchanged.
 */
static inline int wtl_reserve(void *items, size_t *room, size_t wanted, size_t size)
{
    const size_t first = 16, most = (size_t)-1 / size;
    void *list;
    if (wanted <= *room)
        return 0;
    size_t larger = *room > most / 2 ? most : 2 * *room;
    larger = larger < first && first <= most ? first : larger;
    larger = larger < wanted ? wanted : larger;
    memcpy(&list, items, sizeof list);
    list = larger <= most ? realloc(list, larger * size) : NULL;
    if (!list)
        return -ENOMEM;
    memcpy(items, &list, sizeof list);
    *room = larger;
    return 0;
}

/* The same; new items are zeroed. */
static inline int wtl_reserve_zeroed(void *items, size_t *room, size_t wanted, size_t size)
{
    size_t before = *room;
    char *list;
    int rc = wtl_reserve(items, room, wanted, size);
    memcpy(&list, items, sizeof list);
    if (*room > before)
        memset(list + before * size, 0, (*room - before) * size);
    return rc;
}

#endif
