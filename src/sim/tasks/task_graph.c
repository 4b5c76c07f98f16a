/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tasks/task_graph.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define NOBODY UINT32_MAX

/* A graph that grows, and who wrote each tile last. */
struct growing {
    struct wtl_sim_task_graph *graph;
    size_t nodes_room, edges, edges_room;
    unsigned tiles;
    uint32_t *writer;
    int rc;
};

const char *wtl_sim_kernel(enum wtl_sim_graph graph, unsigned kernel)
{
    static const char *const name[WTL_SIM_GRAPHS][WTL_SIM_KERNELS] = {
        [WTL_SIM_CHOLESKY] = {"dpotrf", "dtrsm", "dsyrk", "dgemm"},
        [WTL_SIM_LU_PARTIAL] = {"dgetrf", "dlaswp", "dtrsm", "dgemm"},
        [WTL_SIM_LU_INCREMENTAL] = {"dgetrf", "dgessm", "dtstrf", "dssssm"},
    };
    return name[graph][kernel];
}

static uint32_t *writer_of(struct growing *g, unsigned row, unsigned column)
{
    return &g->writer[(size_t)row * g->tiles + column];
}

static void wait_for(struct growing *g, uint32_t node)
{
    const struct wtl_sim_task_graph *graph = g->graph;
    for (size_t i = graph->nodes[graph->count].first; i < g->edges; i++) {
        if (graph->after[i] == node)
            return;
    }
    if (g->rc == 0 && node != NOBODY)
        g->rc = wtl_reserve(&g->graph->after, &g->edges_room, g->edges + 1, sizeof *graph->after);
    if (g->rc == 0 && node != NOBODY)
        g->graph->after[g->edges++] = node;
}

/* The next node waits for whoever wrote what it reads, and for whoever wrote what it writes. */
static void add_node(struct growing *g,
                     unsigned kernel,
                     uint32_t size,
                     uint32_t *const tiles[],
                     unsigned count,
                     unsigned written)
{
    struct wtl_sim_task_graph *graph = g->graph;
    if (g->rc == 0)
        g->rc = wtl_reserve(&graph->nodes, &g->nodes_room, graph->count + 2, sizeof *graph->nodes);
    if (g->rc < 0)
        return;
    graph->nodes[graph->count] = (struct wtl_sim_node){(uint16_t)kernel, size, (uint32_t)g->edges};
    for (unsigned i = 0; i < count; i++)
        wait_for(g, *tiles[i]);
    for (unsigned i = 0; i < written; i++)
        *tiles[i] = (uint32_t)graph->count;
    graph->count++;
    graph->nodes[graph->count] = (struct wtl_sim_node){.first = (uint32_t)g->edges};
}

/* The written tiles come first. */
#define ADD(g, kernel, size, written, ...)                      \
    add_node(g, kernel, size, (uint32_t *const[]){__VA_ARGS__}, \
             (unsigned)(sizeof(uint32_t *[]){__VA_ARGS__} / sizeof(uint32_t *)), written)

static void cholesky(struct growing *g)
{
    for (unsigned k = 0; k < g->tiles; k++) {
        uint32_t *diagonal = writer_of(g, k, k);
        ADD(g, 0, 1, 1, diagonal);
        for (unsigned j = k + 1; j < g->tiles; j++)
            ADD(g, 1, 1, 1, writer_of(g, k, j), diagonal);
        for (unsigned i = k + 1; i < g->tiles; i++) {
            ADD(g, 2, 1, 1, writer_of(g, i, i), writer_of(g, k, i));
            for (unsigned j = i + 1; j < g->tiles; j++)
                ADD(g, 3, 1, 1, writer_of(g, i, j), writer_of(g, k, i), writer_of(g, k, j));
        }
    }
}

/* By columns of blocks: tile (0, j) stands for column j. */
static void lu_partial(struct growing *g)
{
    for (unsigned k = 0; k < g->tiles; k++) {
        uint32_t *panel = writer_of(g, 0, k), factored;
        ADD(g, 0, g->tiles - k, 1, panel);
        factored = *panel;
        for (unsigned j = k + 1; j < g->tiles; j++) {
            ADD(g, 1, 1, 1, writer_of(g, 0, j), &factored);
            ADD(g, 2, 1, 1, writer_of(g, 0, j));
            ADD(g, 3, g->tiles - k - 1, 1, writer_of(g, 0, j));
        }
    }
}

static void lu_incremental(struct growing *g)
{
    for (unsigned k = 0; k < g->tiles; k++) {
        uint32_t *diagonal = writer_of(g, k, k);
        ADD(g, 0, 1, 1, diagonal);
        for (unsigned j = k + 1; j < g->tiles; j++)
            ADD(g, 1, 1, 1, writer_of(g, k, j), diagonal);
        for (unsigned i = k + 1; i < g->tiles; i++) {
            ADD(g, 2, 1, 2, writer_of(g, i, k), diagonal);
            for (unsigned j = k + 1; j < g->tiles; j++)
                ADD(g, 3, 1, 2, writer_of(g, i, j), writer_of(g, k, j), writer_of(g, i, k));
        }
    }
}

int wtl_sim_graph_create(enum wtl_sim_graph graph,
                         unsigned tiles,
                         struct wtl_sim_task_graph *ret_graph)
{
    static void (*const make[WTL_SIM_GRAPHS])(struct growing *) = {cholesky, lu_partial,
                                                                   lu_incremental};
    struct growing g = {.graph = ret_graph, .tiles = tiles};
    *ret_graph = (struct wtl_sim_task_graph){0};
    if ((unsigned)graph >= WTL_SIM_GRAPHS || tiles < 1 || tiles > WTL_SIM_TILES)
        return -EINVAL;
    g.writer = malloc(sizeof *g.writer * tiles * tiles);
    g.rc = g.writer
               ? wtl_reserve_zeroed(&ret_graph->nodes, &g.nodes_room, 2, sizeof *ret_graph->nodes)
               : -ENOMEM;
    for (size_t i = 0; g.rc == 0 && i < (size_t)tiles * tiles; i++)
        g.writer[i] = NOBODY;
    if (g.rc == 0)
        make[graph](&g);
    free(g.writer);
    if (g.rc < 0)
        wtl_sim_graph_destroy(ret_graph);
    return g.rc;
}

void wtl_sim_graph_destroy(struct wtl_sim_task_graph *graph)
{
    free(graph->nodes);
    free(graph->after);
    *graph = (struct wtl_sim_task_graph){0};
}
