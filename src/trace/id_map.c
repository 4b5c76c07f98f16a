/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps ids to indices: see id_map.h. Open addressing, at most half full. */
#include "trace/id_map.h"

#include <errno.h>
#include <stdlib.h>

static struct wtl_id_slot *slot_of(const struct wtl_id_map *map, uint32_t id)
{
    uint32_t i = (id * UINT32_C(2654435769)) >> 7 & map->mask;

    while (map->slots[i].index_1 && map->slots[i].id != id)
        i = (i + 1) & map->mask;
    return &map->slots[i];
}

static int enlarge(struct wtl_id_map *map)
{
    struct wtl_id_map larger = {.mask = map->slots ? map->mask * 2 + 1 : 63, .count = map->count};

    larger.slots = calloc((size_t)larger.mask + 1, sizeof(*larger.slots));
    if (!larger.slots)
        return -ENOMEM;
    for (uint32_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].index_1)
            *slot_of(&larger, map->slots[i].id) = map->slots[i];
    free(map->slots);
    *map = larger;
    return 0;
}

int64_t wtl_id_map_index(struct wtl_id_map *map, uint32_t id)
{
    if ((!map->slots || map->count * 2 > map->mask) && enlarge(map) < 0)
        return -ENOMEM;
    struct wtl_id_slot *slot = slot_of(map, id);

    if (!slot->index_1)
        *slot = (struct wtl_id_slot){id, ++map->count};
    return slot->index_1 - 1;
}
