/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs of tasks as blocked factorizations of a matrix of tiles x tiles blocks create them, in the order of creation: a task
 * waits only for tasks before it. Kernels are numbered in the order of wtl_sim_kernel().
 */
#ifndef WTL_SIM_TASK_GRAPH_H
#define WTL_SIM_TASK_GRAPH_H

#include <stddef.h>
#include <stdint.h>

enum wtl_sim_graph {
    WTL_SIM_CHOLESKY,   /* dpotrf, dtrsm, dsyrk, dgemm */
    WTL_SIM_LU_PARTIAL, /* dgetrf of a whole panel, dlaswp, dtrsm, dgemm of a column of blocks */
    WTL_SIM_LU_INCREMENTAL, /* dgetrf, dgessm, dtstrf, dssssm */
    WTL_SIM_GRAPHS
};

enum { WTL_SIM_KERNELS = 4, WTL_SIM_TILES = 128 };

struct wtl_sim_node {
    uint16_t kernel;
    uint32_t
        size; /* blocks that it works on one after another: its duration is that many kernels long */
    uint32_t
        first; /* of its dependences in wtl_sim_task_graph.after; they end where those of the next node begin */
};

struct wtl_sim_task_graph {
    struct wtl_sim_node *nodes; /* count + 1; the last one only ends the dependences */
    uint32_t *after;            /* numbers of nodes, each less than that of the node that waits */
    size_t count;
};

/* Name of kernel 0 .. 3, such as "dtrsm". */
const char *wtl_sim_kernel(enum wtl_sim_graph graph, unsigned kernel);

/* tiles is 1 .. WTL_SIM_TILES. Returns 0, -EINVAL, -ENOMEM; on failure *ret_graph is empty. */
int wtl_sim_graph_create(enum wtl_sim_graph graph,
                         unsigned tiles,
                         struct wtl_sim_task_graph *ret_graph);
void wtl_sim_graph_destroy(struct wtl_sim_task_graph *graph);

#endif
