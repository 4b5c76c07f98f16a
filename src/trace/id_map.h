/* SPDX-License-Identifier: BSD-3-Clause */
/* From ids of any size, as files and programs give them, to indices 0, 1, 2 .. in the order of coming. */
#ifndef WTL_TRACE_ID_MAP_H
#define WTL_TRACE_ID_MAP_H

#include <stdint.h>

struct wtl_id_map {
    struct wtl_id_slot {
        uint32_t id, index_1; /* index + 1; 0 = empty */
    } * slots;
    uint32_t mask, count;
};

/* The index of an id, map->count before when it is new; -ENOMEM. Free slots at the end. */
int64_t wtl_id_map_index(struct wtl_id_map *map, uint32_t id);

#endif
