/* SPDX-License-Identifier: BSD-3-Clause */
/* Which logical CPU sits in which package, die and core, from /sys/devices/system/cpu. */
#ifndef WTL_SOURCE_TOPOLOGY_H
#define WTL_SOURCE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"

#define WTL_CPUS_MAX 8192 /* CONFIG_NR_CPUS of Linux is at most this */

struct wtl_cpu {
    int number;
    int package; /* physical package id; 0 when the kernel does not know */
    int die;     /* die id; 0 likewise */
    int core;    /* core id, unique in its die; -1 = unknown */
    /* The lowest numbered online CPU of its package, die, core; a CPU of unknown core is its own. */
    bool first_of_package, first_of_die, first_of_core;
};

struct wtl_topology {
    struct wtl_cpu *cpus; /* online ones, ascending; malloc'ed */
    size_t count;
};

/* The CPUs that are online, also where /sys is not mounted, as bits of set. Returns their number;
 * -ENODEV when none is listed; -ENOMEM; -EMFILE or -ENFILE: no descriptor is left. */
int wtl_cpus_online(const struct wtl_world *world, uint8_t set[WTL_CPUS_MAX / 8]);

/* Returns 0, or as wtl_cpus_online(). A CPU that goes offline later keeps its place; what is read
 * through it then fails. */
int wtl_topology_load(const struct wtl_world *world, struct wtl_topology *ret_topology);
void wtl_topology_fini(struct wtl_topology *topology);

#endif
