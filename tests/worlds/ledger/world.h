/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual node of worlds-ledger: the simulated node in memory, with /proc/stat and a cgroup for each job, whose
 * CPU time grows at a constant rate while it exists. CLOCK_MONOTONIC of the main thread is its virtual clock.
 */
#ifndef TESTS_WORLDS_LEDGER_WORLD_H
#define TESTS_WORLDS_LEDGER_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/world/world.h"
#include "sim/sim_options.h"

enum { LEDGER_JOBS = 64, LEDGER_START_S = 1000 };

/* A job as the machine sees it: its cgroup is batch/NAME. */
struct load {
    char name[65];
    uint64_t from_ns, to_ns; /* virtual: its cgroup exists */
    double cpus;             /* that it uses meanwhile */
};

struct machine {
    struct wtl_sim_options options;
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *memory; /* the clock */
    struct wtl_world world;   /* what wattled sees */
    struct load loads[LEDGER_JOBS];
    int load_count;
    int cpus;
    double system_cpus; /* that no job uses */
};

/* A node of these options of "wattle-sim run"; t = 0 is LEDGER_START_S. False: said on stderr. */
bool machine_open(struct machine *machine, int argc, char **argv, int cpus, uint64_t seed);
void machine_close(struct machine *machine);

uint64_t machine_now(const struct machine *machine);
void machine_sleep_until(struct machine *machine, uint64_t time_ns);

#endif
