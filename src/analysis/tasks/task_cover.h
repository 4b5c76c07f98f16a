/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The union of stretches of time that arrive in the order of their ends, in bounded memory: if there are very many pieces, the
 * older half is given out as final, and what comes later and lies before counts as spread evenly over the rest.
 */
#ifndef WTL_ANALYSIS_TASK_COVER_H
#define WTL_ANALYSIS_TASK_COVER_H

#include <stdbool.h>
#include <stdint.h>

struct wtl_task_cover;

/* `take` gets pieces of the union in time order; with `late` a piece that lies among those that it has already got. NULL if
 * out of memory. */
typedef void wtl_task_cover_take(void *context, uint64_t begin_ns, uint64_t end_ns, bool late);
struct wtl_task_cover *wtl_task_cover_create(wtl_task_cover_take *take, void *context);

void wtl_task_cover_add(struct wtl_task_cover *cover, uint64_t begin_ns, uint64_t end_ns);

/* Give out the rest and free it; accepts NULL. */
void wtl_task_cover_finish(struct wtl_task_cover *cover);

#endif
