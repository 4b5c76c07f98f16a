/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of process trees, for jobs without a cgroup. A tree is a process and what descends from it, or what descends from
 * the slurmstepds of a job of Slurm. It includes children that have ended, once their parents have waited for them;
 * a descendant whose parents have ended stays in the tree as long as it runs. What a process used that nobody waited
 * for, between the last scan and its end, is not seen.
 */
#ifndef WTL_ACCOUNT_PROCESS_TREES_H
#define WTL_ACCOUNT_PROCESS_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/world/world.h"

/* Which processes a tree begins with; 0 = none. */
struct wtl_tree_root {
    uint32_t pid;
    uint32_t slurm; /* a job's number */
};

/* What is remembered of a tree between scans; zeroed = nothing. */
struct wtl_process_tree {
    struct wtl_tree_member *members; /* by pid */
    size_t count;
    uint64_t root_start; /* of pid: another process may get its number */
};

struct wtl_process_scan;

/* Look at all processes: malloc'ed for wtl_process_scan_free(). 0, -ENOMEM, or the errno of reading /proc. */
int wtl_process_scan(const struct wtl_world *world, struct wtl_process_scan **ret_scan);
void wtl_process_scan_free(struct wtl_process_scan *scan); /* accepts NULL */

/* The CPU time of a tree in a scan since the one before, in which it was looked for; of a new tree, since its processes
 * began. 0; -ENOENT: it has no process now; -ENOMEM. */
int wtl_tree_used_ns(const struct wtl_process_scan *scan,
                     const struct wtl_tree_root *root,
                     struct wtl_process_tree *tree,
                     uint64_t *ret_used_ns);

/* What its processes showed in the last scan: for a tree that is looked for again after it was forgotten. */
uint64_t wtl_tree_total_ns(const struct wtl_process_tree *tree);

/* Was this process in the tree in the last scan? */
bool wtl_tree_has(const struct wtl_process_tree *tree, pid_t pid);

/* Was nothing else in it than Slurm's step extern, which waits for the end of the job? */
bool wtl_tree_is_extern(const struct wtl_process_tree *tree);

void wtl_tree_fini(struct wtl_process_tree *tree);

#endif
