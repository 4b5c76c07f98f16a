/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit on what the spools of a run with tasks may take together. Each process adds a byte for each chunk
 * to a file in their folder, whose length is then the number of chunks of all: nothing is mapped or locked, and
 * only calls that are safe in signal handlers are made.
 */
#ifndef WTL_RECORD_TASK_LIMIT_H
#define WTL_RECORD_TASK_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define WTL_TASK_LIMIT_FILE "tasks"

struct wtl_task_limit {
    uint64_t bytes; /* 0 = no limit */
    uint64_t own;   /* chunks of this process */
    bool over;
};

/* What WATTLE_TASKS and WATTLE_TASKS_LIMIT say: 0 = marks of tasks are not recorded, 1 = all, 2 = the
 * summary. */
int wtl_task_limit_read(struct wtl_task_limit *limit);

/* The process has taken another chunk. */
void wtl_task_limit_chunk(struct wtl_task_limit *limit, const char *dir);

#endif
