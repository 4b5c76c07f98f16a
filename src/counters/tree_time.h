/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of a process tree, in nanoseconds. Two sources: a perf task-clock inherited by descendants (exact,
 * needs no privilege; only for a process that has not started yet), else a walk over /proc from the root,
 * which adds the processes' own time and that of the children they have waited for (see tree_walk.h); its resolution is
 * 10 ms.
 */
#ifndef WTL_COUNTERS_TREE_TIME_H
#define WTL_COUNTERS_TREE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"
#include "counters/tree_walk.h"

struct wtl_tree_time {
    const struct wtl_world *world;
    pid_t pid;
    int fd; /* of the perf event; -1 = the walk */
    struct wtl_tree_walk walk;
    uint64_t last_ns; /* the counter never decreases */
    char where[96];
};

/* inherit: the process has not called exec yet, so an event on it sees all descendants. Returns 0, or the
 * reason why there is no such process. */
int wtl_tree_time_open(struct wtl_tree_time *tree,
                       const struct wtl_world *world,
                       pid_t pid,
                       bool inherit,
                       struct wattle_error *err);

/* Does not allocate, lock or print. After the root has ended the walk keeps its last value. */
int wtl_tree_time_read(struct wtl_tree_time *tree, uint64_t *ret_ns);

void wtl_tree_time_close(struct wtl_tree_time *tree);

#endif
