/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk over the processes of a tree, by /proc/PID/task/TID/children. It misses orphaned descendants, and children of
 * threads other than the first unless it is asked for them.
 */
#ifndef WTL_COUNTERS_TREE_WALK_H
#define WTL_COUNTERS_TREE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/world/world.h"

#define WTL_TREE_MAX 4096 /* processes in one walk; more: -EOVERFLOW */

struct wtl_tree_walk {
    const struct wtl_world *world;
    pid_t pid;
    pid_t *stack;        /* WTL_TREE_MAX */
    char *text;          /* list of children of one thread */
    bool of_all_threads; /* also the children that other threads started; such a walk allocates */
};

/* 0 or -ENOMEM. */
int wtl_tree_walk_init(struct wtl_tree_walk *walk, const struct wtl_world *world, pid_t pid);
void wtl_tree_walk_fini(struct wtl_tree_walk *walk); /* no effect if never initialised */

/* A file of a process as text: its length or -errno. */
ssize_t wtl_tree_walk_text(const struct wtl_tree_walk *walk,
                           pid_t pid,
                           const char *name,
                           char *text,
                           size_t n);

/* Called for each process, the root first: 0, or why it cannot be read, which ends the walk only at the root. */
typedef int wtl_tree_walk_fn(const struct wtl_tree_walk *walk, pid_t pid, void *context);

/* 0, the error of the root, -EOVERFLOW or -ENOMEM. Does not lock or print, nor allocate unless it is of all threads. */
int wtl_tree_walk_all(const struct wtl_tree_walk *walk, wtl_tree_walk_fn *visit, void *context);

#endif
