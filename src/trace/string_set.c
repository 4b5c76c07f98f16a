/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of numbered strings: open addressing, at most half full. */
#define _GNU_SOURCE
#include "trace/string_set.h"
#include "base/grow.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void wtl_string_set_fini(struct wtl_string_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        free(set->texts[i]);
    free(set->texts);
    free(set->slots);
    memset(set, 0, sizeof *set);
}

/* The slot that contains the string, or the free one where it belongs. */
static uint32_t *find(const struct wtl_string_set *set, const char *text)
{
    uint32_t at = (uint32_t)wtl_hash_text(text) & (set->slot_count - 1);
    while (set->slots[at] && strcmp(set->texts[set->slots[at] - 1], text) != 0)
        at = (at + 1) & (set->slot_count - 1);
    return &set->slots[at];
}

static int grow(struct wtl_string_set *set)
{
    uint32_t capacity = set->capacity ? set->capacity * 2 : 32;
    size_t room = set->capacity;
    if (wtl_reserve(&set->texts, &room, capacity, sizeof *set->texts) < 0)
        return -ENOMEM;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (!slots)
        return -ENOMEM;
    free(set->slots);
    set->slots = slots;
    set->slot_count = capacity * 2;
    set->capacity = capacity;
    for (uint32_t i = 0; i < set->count; i++)
        *find(set, set->texts[i]) = i + 1;
    return 0;
}

int wtl_string_set_add(struct wtl_string_set *set, const char *text, bool *ret_fresh)
{
    *ret_fresh = false;
    if (set->count == set->capacity && grow(set) < 0)
        return -ENOMEM;
    uint32_t *slot = find(set, text);
    if (*slot)
        return (int)*slot;
    char *copy = strdup(text);
    if (!copy)
        return -ENOMEM;
    set->texts[set->count++] = copy;
    *slot = set->count;
    *ret_fresh = true;
    return (int)set->count;
}
