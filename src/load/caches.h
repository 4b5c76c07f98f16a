/* SPDX-License-Identifier: BSD-3-Clause */
/* The caches of a CPU, as far as they are for one thread of a load. */
#ifndef WTL_LOAD_CACHES_H
#define WTL_LOAD_CACHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"
#include "load/cpu_choice.h"

/* Bytes; a cache that CPUs of the choice share is divided by their number. */
struct wtl_caches {
    size_t l2; /* 256 KiB when unknown */
    size_t l3; /* 0 = none, or unknown */
};

/* Of a CPU in the choice, from /sys/devices/system/cpu/cpuN/cache. */
struct wtl_caches wtl_caches_of(const struct wtl_world *world,
                                int cpu,
                                const struct wtl_cpu_choice *choice);

/* Memory that can be had without swapping [bytes], from /proc/meminfo, which is 1 GiB when unknown, and no
 * more than our control groups (version 2) leave. */
uint64_t wtl_memory_available(const struct wtl_world *world);

#endif
