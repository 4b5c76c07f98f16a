/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory with a limit: see budget.h. */
#include "service/budget.h"

#include <stdlib.h>

void *wtl_pm_memory_resize(struct wtl_pm_memory *memory, void *block, size_t *room, size_t size)
{
    if (size > *room && size - *room > memory->limit - memory->used)
        return block;
    void *fresh = NULL;
    if (size == 0)
        free(block);
    else if (!(fresh = realloc(block, size)))
        return block;
    memory->used = memory->used - *room + size;
    *room = size;
    return fresh;
}
