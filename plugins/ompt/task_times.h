/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of one thread: time by type in bins of about 10 ms. A bin ends at the first change after its time is
 * over, so that a long task makes it longer; its length is in its marks. */
#ifndef TASK_TIMES_H
#define TASK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct task_times;

/* The thread was in `name` since the last call (0 = in none); done: a task of this type ended. *times is created at
 * the first call. */
void task_times_add(struct task_times **times, uint32_t name, bool done);

/* The last bin. Accepts NULL, as does free. */
void task_times_end(struct task_times *times);
void task_times_free(struct task_times *times);

#endif
