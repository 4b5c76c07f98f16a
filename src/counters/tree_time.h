/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of a process tree, in nanoseconds. Two sources: a perf task-clock that the descendants
 * inherit (exact, needs no privilege; only for a process that has not begun yet), else a walk over
 * /proc from the root: the processes' own time and that of the children they have waited for. The
 * walk misses descendants that were left by their parent, and children of threads other than the
 * first; its steps are 10 ms.
 */
#ifndef WTL_COUNTERS_TREE_TIME_H
#define WTL_COUNTERS_TREE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"

#define WTL_TREE_MAX 4096 /* processes of a walk; more end it with -EOVERFLOW */

struct wtl_tree_time {
    const struct wtl_world *world;
    pid_t pid;
    int fd;           /* of the perf event; -1 = the walk */
    pid_t *stack;     /* of the walk; WTL_TREE_MAX */
    char *text;       /* of the walk: one process's list of children */
    uint64_t last_ns; /* the counter never falls */
    char where[96];
};

/* inherit: the process has not exec'ed, so an event on it sees all descendants. Returns 0, or the
 * reason why there is no such process. */
int wtl_tree_time_open(struct wtl_tree_time *tree,
                       const struct wtl_world *world,
                       pid_t pid,
                       bool inherit,
                       struct wattle_error *err);

/* Does not allocate, lock or print. After the root has gone the walk keeps its last value. */
int wtl_tree_time_read(struct wtl_tree_time *tree, uint64_t *ret_ns);

void wtl_tree_time_close(struct wtl_tree_time *tree);

#endif
