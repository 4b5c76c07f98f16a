/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that peers make a server use, with a limit for all of them together. */
#ifndef WTL_SERVICE_PM_BUDGET_H
#define WTL_SERVICE_PM_BUDGET_H

#include <stddef.h>

struct wtl_pm_memory {
    size_t limit, used; /* bytes */
};

/* Change a block of *room bytes to `size` bytes; 0 frees it. Returns the block, where it is then. If that is not possible, or
 * the limit would be exceeded, block and *room are as before. */
void *wtl_pm_memory_resize(struct wtl_pm_memory *memory, void *block, size_t *room, size_t size);

#endif
