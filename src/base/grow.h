/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists that grow: twice as long each time, so that adding one costs the same however many there are. Nothing else calls realloc() (a
 * check), so no size overflows, and what is there stays when memory runs out.
 */
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
    list = wanted > count && wanted <= (size_t)-1 / size ? realloc(list, wanted * size) : NULL;
    if (!list)
        return -ENOMEM;
    memcpy(items, &list, sizeof list);
    return 0;
}

/*
 * Room for `wanted` items in a list whose room is kept beside it, or is its count where that is not known. 0, or -ENOMEM, and list and
 * room are as they were.
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

/* The same; the bytes of new items are 0. */
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
