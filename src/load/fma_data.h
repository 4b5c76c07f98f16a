/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that a thread of the load fma works on, separate for each level of memory. */
#ifndef WTL_LOAD_FMA_DATA_H
#define WTL_LOAD_FMA_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/caches.h"
#include "load/fma_kernel.h"

/* Sizes of a thread's streams in bytes, read and written together, each at least 64 KiB. */
struct wtl_fma_sizes {
    size_t l2, l3, memory;
};

struct wtl_fma_data {
    struct wtl_fma_work work;
    void *map; /* private mapping; unmapped by fini */
    size_t map_size;
};

/*
 * Sizes that keep each stream in its level: half of the thread's share of the second-level cache;
 * half of its share of the third, and more than the second holds; four times the third, 32 to 256
 * MiB, but all threads together at most a quarter of the available memory [bytes].
 */
struct wtl_fma_sizes wtl_fma_sizes_for(const struct wtl_caches *caches,
                                       size_t threads,
                                       uint64_t available);

/* Map and fill, from the calling thread, so that the pages are on its NUMA node. 0, or -errno. */
int wtl_fma_data_make(struct wtl_fma_data *ret_data, const struct wtl_fma_sizes *sizes);
void wtl_fma_data_fini(struct wtl_fma_data *data);

/* Are all numbers of the state in the range of the kernel's results? If not, an arithmetic unit has
 * failed. */
bool wtl_fma_data_sound(const struct wtl_fma_data *data, unsigned groups);

/* A hash of the bits of the state and of everything written. */
uint64_t wtl_fma_data_checksum(const struct wtl_fma_data *data, unsigned groups);

#endif
