/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One time for all nodes. If every node has offsets against the same node, that node's clock is the
 * reference. Otherwise it is the wall clock: for a node with offsets, that of the node they were
 * measured against, so that such nodes stay as well aligned with each other as they were; for the
 * others, their own.
 */
#include <string.h>

#include "analysis/cluster/run_state.h"
#include "base/hash.h"

static bool all_synced(const struct wtl_run *run)
{
    uint64_t reference = 0;
    bool some = false;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct wtl_run_row *row = run->nodes[i].row;
        const struct wtl_run_clocks *clocks = &row->clocks;
        if (!wtl_run_row_has_time(row))
            continue;
        if (!some)
            reference = clocks->reference;
        some = true;
        if (clocks->sync.aligned != WTL_ALIGNED_SYNC || clocks->reference != reference)
            return false;
    }
    return some;
}

/* The wall clock of the node with this hash of its key, or NULL. */
static const struct wtl_run_clock *wall_of(const struct wtl_run *run, uint64_t reference)
{
    for (size_t i = 0; i < run->node_count; i++) {
        const struct wtl_run_row *row = run->nodes[i].row;
        if (wtl_hash_text(row->key) == reference &&
            row->clocks.realtime.aligned == WTL_ALIGNED_REALTIME)
            return &row->clocks.realtime;
    }
    return NULL;
}

static struct wtl_run_clock clock_of(const struct wtl_run *run, const struct wtl_run_clocks *clocks)
{
    const struct wtl_run_clock *wall =
        clocks->sync.aligned == WTL_ALIGNED_SYNC ? wall_of(run, clocks->reference) : NULL;
    if (!wall)
        return clocks->realtime;
    struct wtl_run_clock joined = wtl_run_clock_join(&clocks->sync, wall);
    joined.aligned = WTL_ALIGNED_REALTIME; /* against nodes without offsets */
    return joined;
}

static void set_times(struct wtl_run_node *node)
{
    node->begin_ns = wtl_run_clock_time(&node->clock, node->row->begin_ns);
    node->end_ns = wtl_run_clock_time(&node->clock, node->row->end_ns);
}

static void widen(struct wtl_run *run, const struct wtl_run_node *node, bool *any)
{
    if (!wtl_run_row_has_time(node->row))
        return;
    if (!*any || node->begin_ns < run->begin_ns)
        run->begin_ns = node->begin_ns;
    if (!*any || node->end_ns > run->end_ns)
        run->end_ns = node->end_ns;
    *any = true;
}

void wtl_run_span(struct wtl_run *run)
{
    bool any = false;
    run->begin_ns = run->end_ns = 0;
    for (size_t i = 0; i < run->node_count; i++)
        widen(run, &run->nodes[i], &any);
    for (size_t i = 0; i < run->node_count; i++)
        if (!wtl_run_row_has_time(run->nodes[i].row))
            run->nodes[i].begin_ns = run->nodes[i].end_ns = run->begin_ns;
}

void wtl_run_align(struct wtl_run *run)
{
    bool synced = all_synced(run), any = false;
    run->begin_ns = run->end_ns = 0;
    for (size_t i = 0; i < run->node_count; i++) {
        struct wtl_run_node *node = &run->nodes[i];
        node->clock = synced ? node->row->clocks.sync : clock_of(run, &node->row->clocks);
        if (node->clock.aligned == WTL_ALIGNED_NOT)
            continue;
        set_times(node);
        widen(run, node, &any);
    }
    /* A separate clock: its window begins with the run. */
    for (size_t i = 0; i < run->node_count; i++) {
        struct wtl_run_node *node = &run->nodes[i];
        if (node->clock.aligned != WTL_ALIGNED_NOT)
            continue;
        node->clock = (struct wtl_run_clock){.residual_ns = WTL_RESIDUAL_UNKNOWN,
                                             .at_ns = node->row->begin_ns};
        node->clock.offset_ns = run->begin_ns - (int64_t)node->row->begin_ns;
        set_times(node);
        widen(run, node, &any);
    }
    wtl_run_span(run);
}

int64_t wtl_run_begin(const struct wtl_run *run)
{
    return run->begin_ns;
}

int64_t wtl_run_end(const struct wtl_run *run)
{
    return run->end_ns;
}

enum wtl_run_aligned wtl_run_alignment(const struct wtl_run *run, uint64_t *ret_residual_ns)
{
    enum wtl_run_aligned weakest = WTL_ALIGNED_SYNC;
    *ret_residual_ns = 0;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct wtl_run_clock *clock = &run->nodes[i].clock;
        if (run->node_count > 1 && !wtl_run_row_has_time(run->nodes[i].row))
            continue;
        weakest = clock->aligned < weakest ? clock->aligned : weakest;
        if (run->node_count > 1 && clock->residual_ns > *ret_residual_ns)
            *ret_residual_ns = clock->residual_ns;
    }
    return weakest;
}
