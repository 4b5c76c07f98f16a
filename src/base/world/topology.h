/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps logical CPUs to packages, dies and cores, from /sys/devices/system/cpu. */
#ifndef WTL_BASE_TOPOLOGY_H
#define WTL_BASE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"

#define WTL_CPUS_MAX 8192 /* CONFIG_NR_CPUS of Linux is at most this */

struct wtl_cpu {
    int number;
    int package; /* physical package id; 0 if the kernel does not report it */
    int die;     /* die id; 0 if not reported */
    int core;    /* core id, unique in its die; -1 = unknown */
    /* The lowest-numbered online CPU of its package, die, core; a CPU of unknown core counts as its own core. */
    bool first_of_package, first_of_die, first_of_core;
};

struct wtl_topology {
    struct wtl_cpu *cpus; /* online ones, ascending; malloc'ed */
    size_t count;
};

/* The online CPUs as bits of set, also if /sys is not mounted. Returns their number; -ENODEV when none is
 * listed; -ENOMEM; -EMFILE or -ENFILE when descriptors are exhausted. */
int wtl_cpus_online(const struct wtl_world *world, uint8_t set[WTL_CPUS_MAX / 8]);

/* Returns 0, or as wtl_cpus_online(). A CPU that goes offline later keeps its place; reads through it then
 * fail. */
int wtl_topology_load(const struct wtl_world *world, struct wtl_topology *ret_topology);
void wtl_topology_fini(struct wtl_topology *topology);

#endif
