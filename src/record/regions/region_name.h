/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of a process's regions and their ids. Lookups take no lock; the caller serialises
 * additions. */
#ifndef WTL_RECORD_REGION_NAME_H
#define WTL_RECORD_REGION_NAME_H

#include <stddef.h>
#include <stdint.h>

struct wtl_region_name {
    uint64_t hash;
    uint32_t id;
    uint32_t length;
    char text[];
};

/* Hash and length of a name; length 0 = invalid (empty or too long). */
uint64_t wtl_region_name_hash(const char *text, size_t *ret_length);

/* The entry, or NULL. Safe from any thread and from signal handlers. */
const struct wtl_region_name *wtl_region_name_find(const char *text, size_t length, uint64_t hash);

/* The entry, created if missing; NULL if out of memory or the table is full. The pointer stays
 * valid for the life of the process. */
const struct wtl_region_name *wtl_region_name_add(const char *text, size_t length, uint64_t hash);

/* Entry of an id in 1 .. count. */
uint32_t wtl_region_name_count(void);
const struct wtl_region_name *wtl_region_name_of(uint32_t id);

#endif
