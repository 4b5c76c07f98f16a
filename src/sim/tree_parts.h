/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tree's builder and the code that generates its contents. */
#ifndef WTL_SIM_TREE_PARTS_H
#define WTL_SIM_TREE_PARTS_H

#include "sim/node_tree.h"

struct wtl_tree {
    struct wtl_tree_config config;
    struct wtl_entry *entries;
    int count;
    int rc; /* first error while building */
};

/* Converts raw units of 2^-exp J to microjoules, rounded down, without overflow below 2^63 uJ. */
static inline uint64_t wtl_units_to_uj(uint64_t units, unsigned exp)
{
    uint64_t rest = units & ((UINT64_C(1) << exp) - 1);
    return (units >> exp) * 1000000 + (rest * 1000000 >> exp);
}

/* Socket of a logical CPU. */
static inline int wtl_tree_socket(const struct wtl_tree *tree, int cpu)
{
    return cpu * tree->config.sockets / tree->config.cpus;
}

/* /proc/cpuinfo of the configured model, malloc'ed; NULL if out of memory. */
char *wtl_tree_cpuinfo(const struct wtl_tree *tree, const struct wtl_node_config *node);

#endif
