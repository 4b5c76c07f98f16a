/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps arbitrary ids, from files and programs, to indices 0, 1, 2 .. in order of first appearance. */
#ifndef WTL_TRACE_ID_MAP_H
#define WTL_TRACE_ID_MAP_H

#include <stdint.h>

struct wtl_id_map {
    struct wtl_id_slot {
        uint32_t id, index_1; /* index + 1; 0 = empty */
    } * slots;
    uint32_t mask, count;
};

/* The index of an id; for a new id, map->count before the call; -ENOMEM. Release with free(slots). */
int64_t wtl_id_map_index(struct wtl_id_map *map, uint32_t id);

#endif
