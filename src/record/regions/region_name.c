/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of a process's regions. Ids are never released (programs keep them in static variables,
 * also across fork), so entries are never freed. A table that is too small is replaced by a larger
 * copy and leaked: readers still using it find every older name there.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "record/regions/region_name.h"
#include "trace/spool/spool.h"

struct table {
    uint32_t mask; /* slots - 1 */
    const struct wtl_region_name *slots[];
};

static struct table *names;                        /* by hash, open addressing */
static const struct wtl_region_name **names_by_id; /* [id - 1] */
static uint32_t count, capacity;

uint64_t wtl_region_name_hash(const char *text, size_t *ret_length)
{
    size_t length = strnlen(text, WTL_NAME_BYTES + 1);
    uint64_t hash = length;
    uint64_t word = 0;
    size_t at = 0;

    if (length == 0 || length > WTL_NAME_BYTES) {
        *ret_length = 0;
        return 0;
    }
    /* Eight bytes per step, multiplied by the 64-bit golden ratio, folded. */
    for (; at + sizeof(word) <= length; at += sizeof(word)) {
        memcpy(&word, text + at, sizeof(word));
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (word = 0; at < length; at++)
        word = word << 8 | (unsigned char)text[at];
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    *ret_length = length;
    return hash ^ hash >> 29;
}

const struct wtl_region_name *wtl_region_name_find(const char *text, size_t length, uint64_t hash)
{
    const struct table *table = __atomic_load_n(&names, __ATOMIC_ACQUIRE);

    if (!table)
        return NULL;
    for (uint32_t i = (uint32_t)hash & table->mask;; i = (i + 1) & table->mask) {
        const struct wtl_region_name *name = __atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);

        if (!name)
            return NULL;
        if (name->hash == hash && name->length == length && !memcmp(name->text, text, length))
            return name;
    }
}

static void insert(struct table *table, const struct wtl_region_name *name)
{
    uint32_t i = (uint32_t)name->hash & table->mask;

    while (table->slots[i])
        i = (i + 1) & table->mask;
    __atomic_store_n(&table->slots[i], name, __ATOMIC_RELEASE);
}

/* Make room for one more; the table stays at most half full. */
static int reserve(void)
{
    uint32_t wanted = capacity ? capacity * 2 : 64;

    if (count < capacity)
        return 1;
    const struct wtl_region_name **by_id = malloc(wanted * sizeof(struct wtl_region_name *));
    struct table *larger =
        calloc(1, sizeof(*larger) + 2 * wanted * sizeof(struct wtl_region_name *));

    if (!by_id || !larger) {
        free(by_id);
        free(larger);
        return 0;
    }
    larger->mask = 2 * wanted - 1;
    for (uint32_t i = 0; i < count; i++) {
        by_id[i] = names_by_id[i];
        insert(larger, by_id[i]);
    }
    free(names_by_id); /* read only under the caller's lock */
    names_by_id = by_id;
    capacity = wanted;
    __atomic_store_n(&names, larger, __ATOMIC_RELEASE);
    return 1;
}

const struct wtl_region_name *wtl_region_name_add(const char *text, size_t length, uint64_t hash)
{
    const struct wtl_region_name *found = wtl_region_name_find(text, length, hash);

    if (found || count >= WTL_NAME_ID_MAX || !reserve())
        return found;
    struct wtl_region_name *name = malloc(sizeof(*name) + length + 1);

    if (!name)
        return NULL;
    name->hash = hash;
    name->length = (uint32_t)length;
    memcpy(name->text, text, length);
    name->text[length] = '\0';
    names_by_id[count] = name;
    name->id = ++count;
    insert(names, name);
    return name;
}

uint32_t wtl_region_name_count(void)
{
    return count;
}

const struct wtl_region_name *wtl_region_name_of(uint32_t id)
{
    return names_by_id[id - 1];
}
