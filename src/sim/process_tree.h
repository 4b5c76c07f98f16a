/* SPDX-License-Identifier: BSD-3-Clause */
/* A process and its descendants, from /proc. A descendant whose parent has ended is not found. */
#ifndef WTL_SIM_PROCESS_TREE_H
#define WTL_SIM_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wtl_sim_process {
    pid_t pid, parent;
    uint64_t ticks; /* its own, and those of children it has waited for */
    int cpu;        /* on which it ran last */
    bool stopped;   /* by a signal or a debugger */
    char name[16];
};

/* The tree below pid, itself included, parents before children; malloc'ed for the caller. Returns their number. */
size_t wtl_sim_process_tree(pid_t pid, struct wtl_sim_process **ret_list);
/* One process: 0, or a negative errno if it is gone. */
int wtl_sim_process_look(pid_t pid, struct wtl_sim_process *ret);

#endif
