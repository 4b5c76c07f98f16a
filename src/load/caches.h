/* SPDX-License-Identifier: BSD-3-Clause */
/* The caches of a CPU, as far as one thread of a load can use them. */
#ifndef WTL_LOAD_CACHES_H
#define WTL_LOAD_CACHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"
#include "load/cpu_choice.h"

/* Bytes; a cache shared by several chosen CPUs is divided by their number. */
struct wtl_caches {
    size_t l2; /* 256 KiB when unknown */
    size_t l3; /* 0 = none, or unknown */
};

/* For a CPU in the choice, from /sys/devices/system/cpu/cpuN/cache. */
struct wtl_caches wtl_caches_of(const struct wtl_world *world,
                                int cpu,
                                const struct wtl_cpu_choice *choice);

/* Memory available without swapping [bytes]: from /proc/meminfo (1 GiB if unknown), limited to what
 * our control groups (version 2) leave. */
uint64_t wtl_memory_available(const struct wtl_world *world);

#endif
