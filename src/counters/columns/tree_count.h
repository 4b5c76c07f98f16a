/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * I/O and memory of a process tree, from /proc/PID/io and /proc/PID/statm. The I/O of a child that has ended is in that of
 * its parent, once that has waited for it.
 */
#ifndef WTL_COUNTERS_TREE_COUNT_H
#define WTL_COUNTERS_TREE_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "counters/tree_walk.h"

enum wtl_tree_value { WTL_TREE_READ, WTL_TREE_WRITTEN, WTL_TREE_MEMORY, WTL_TREE_VALUES };

struct wtl_tree_values {
    uint64_t list[WTL_TREE_VALUES];
    int io_status, memory_status; /* of the root; 0 or -errno */
};

struct wtl_tree_count {
    struct wtl_tree_walk walk, last_walk; /* of the sampler, and of the thread that sees the end */
    struct wtl_tree_values now, last;
    uint64_t most[WTL_TREE_VALUES]; /* I/O so far: it does not decrease while a child ends */
    uint64_t page_size;
    atomic_bool ended; /* `last` is final */
};

/* 0 or -ENOMEM; wtl_tree_count_close() in both cases. */
int wtl_tree_count_open(struct wtl_tree_count *count, const struct wtl_world *world, pid_t pid);
void wtl_tree_count_close(struct wtl_tree_count *count);

/* Read all into now. Does not allocate, lock or print. */
void wtl_tree_count_read(struct wtl_tree_count *count);

/* The root has ended, and has not been waited for: its counts are there for the last time. On any one thread. */
void wtl_tree_count_end(struct wtl_tree_count *count);

int wtl_tree_count_value(struct wtl_tree_count *count, enum wtl_tree_value which, uint64_t *ret);

#endif
