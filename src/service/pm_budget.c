/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory with a limit: see pm_budget.h. */
#include "service/pm_budget.h"

#include <stdlib.h>
#include <string.h>

void *wtl_pm_memory_resize(struct wtl_pm_memory *memory, void *block, size_t *room, size_t size)
{
    if (size > *room && size - *room > memory->limit - memory->used)
        return block;
    void *fresh = size > 0 ? malloc(size) : NULL;
    if (size > 0 && !fresh)
        return block;
    if (fresh && block)
        memcpy(fresh, block, size < *room ? size : *room);
    free(block);
    memory->used = memory->used - *room + size;
    *room = size;
    return fresh;
}
