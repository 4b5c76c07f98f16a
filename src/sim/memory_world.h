/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world entirely in memory: the simulated node as an implementation of base/world/world.h, with
 * its own clock that only the calls advance. A recording in it runs in virtual time, on one thread,
 * thousands of worlds per second; lateness, slow reads and preemption are random.
 *
 *     struct wtl_memory_config config = wtl_memory_config_init(start_ns, seed);
 *     struct wtl_world *world;
 *     wtl_memory_world_create(node, tree, &config, &world, &err);
 *     ... record through world ...
 *     truth = wtl_node_energy_j(node, 0, from_ns, to_ns);
 */
#ifndef WTL_SIM_MEMORY_WORLD_H
#define WTL_SIM_MEMORY_WORLD_H

#include <stdint.h>

#include "base/world/world.h"
#include "sim/node.h"
#include "sim/node_tree.h"
#include "sim/phases/pmu.h"

struct wtl_memory_config {
    uint64_t now_ns; /* initial CLOCK_MONOTONIC, >= the node's start */
    uint64_t seed;
    uint64_t clock_cost_ns; /* cost of reading the clock */
    uint64_t pread_cost_ns; /* cost of reading a file or register; the counter is read half way */
    uint64_t open_cost_ns;  /* open, list, readlink, exists */
    uint64_t late_ns;       /* every wake-up is late by this much */
    uint64_t late_tail_ns;  /* and by this times an exponential random number */
    /* Busy cores: with this probability a wake-up waits for its turn, uniformly up to wait_ns. */
    double wait_probability;
    uint64_t wait_ns;
    /* Likewise a read is interrupted, before or after it accesses the counter. */
    double preempt_probability;
    uint64_t preempt_ns;
    struct wtl_sim_pmu *pmu; /* answers perf events (phases/pmu.h); borrowed, NULL = none exist */
};

/* An idle machine: clock 25 ns, pread 600 ns, open 5 us, wake-ups 5 us + 2 us tail late. */
struct wtl_memory_config wtl_memory_config_init(uint64_t now_ns, uint64_t seed);

/* Node and tree are borrowed and must outlive the world; the tree must be made from that node's
 * configuration. Returns 0 or -ENOMEM. One thread per world and node. */
int wtl_memory_world_create(struct wtl_node *node,
                            const struct wtl_tree *tree,
                            const struct wtl_memory_config *config,
                            struct wtl_world **ret_world,
                            struct wattle_error *err);
void wtl_memory_world_destroy(struct wtl_world *world); /* accepts NULL */

/* The virtual clock without the cost of reading it, and a way to let time pass. */
uint64_t wtl_memory_world_time(const struct wtl_world *world);
void wtl_memory_world_advance(const struct wtl_world *world, uint64_t ns);
/* Reads of files and registers so far. */
uint64_t wtl_memory_world_reads(const struct wtl_world *world);

#endif
