/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power-aware scheduling: how long a graph of tasks takes on a node with a power cap, simulated, beside bounds that no schedule can
 * beat. Pure.
 *
 * The node takes idle_w + static_w, and each core that runs a task at speed s (1 = full) its power_w * s^exponent, for duration_s / s.
 * Speeds are slowest .. 1 and may change at any time, without cost. A task stays on its core until it is complete.
 */
#ifndef WTL_ANALYSIS_SCHEDULE_H
#define WTL_ANALYSIS_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

enum { WTL_SCHEDULE_CORES = 4096 };

struct wtl_schedule_task {
    double duration_s, power_w; /* at full speed; of one core, beyond the node's */
    uint32_t first; /* of its dependences in after; they end where those of the next task begin */
};

struct wtl_schedule_graph {
    struct wtl_schedule_task *tasks; /* count + 1; the last one only ends the dependences */
    uint32_t *after; /* numbers of tasks, each less than that of the one that waits */
    size_t count;
};

struct wtl_schedule_node {
    unsigned cores;
    double idle_w, static_w;
    double cap_w;    /* INFINITY = none */
    double exponent; /* of power over speed, 1 .. 4 */
    double slowest;  /* speed, in (0, 1] */
};

enum wtl_schedule_policy {
    WTL_SCHEDULE_FREE, /* no cap, all at full speed */
    WTL_SCHEDULE_UNIFORM, /* one speed for the whole run, at which the cap is never exceeded; on fewer cores if that
                           * would have to be slower than the slowest */
    WTL_SCHEDULE_AWARE, /* the speeds change with what runs, so that the cap is always used: the better of one
                           * speed for all at a time, and full speed for what the end waits for */
    WTL_SCHEDULE_POLICIES
};

struct wtl_schedule_result {
    double makespan_s, energy_j, peak_w;
    double speed;   /* UNIFORM: its speed; others: mean over the running tasks */
    unsigned cores; /* used */
};

/* Lower bounds of the makespan. */
struct wtl_schedule_bounds {
    double path_s; /* of the longest path, if nothing else ran */
    double work_s; /* of all work on all cores at full speed */
    double
        power_s; /* of the work within the cap, each task as slow, and as efficient, as it may be */
    double both_s;  /* of work and power together: at least the two before */
    double least_s; /* the largest of them */
};

/* Returns 0; -ERANGE: the cap is below what the node takes with its hungriest task on one core, at the slowest speed;
 * -EINVAL: a node or graph that makes no sense; -ENOMEM; each with a sentence. */
int wtl_schedule_simulate(const struct wtl_schedule_graph *graph,
                          const struct wtl_schedule_node *node,
                          enum wtl_schedule_policy policy,
                          struct wtl_schedule_result *ret,
                          struct wattle_error *err);
int wtl_schedule_bound(const struct wtl_schedule_graph *graph,
                       const struct wtl_schedule_node *node,
                       struct wtl_schedule_bounds *ret,
                       struct wattle_error *err);

void wtl_schedule_graph_fini(struct wtl_schedule_graph *graph);

#endif
