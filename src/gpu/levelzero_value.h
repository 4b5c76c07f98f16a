/* SPDX-License-Identifier: BSD-3-Clause */
/* The channels of one device of Level Zero, and their values. */
#ifndef WTL_GPU_LEVELZERO_VALUE_H
#define WTL_GPU_LEVELZERO_VALUE_H

#include "gpu/backend.h"
#include "gpu/levelzero_api.h"

/* A part of a device that is read: a power domain, a clock, a group of engines ... */
struct wtl_zes_part {
    void *handle;
    struct wtl_zes_engine_stats before; /* engines: at the previous read; time 0 = none */
};

struct wtl_zes_parts {
    struct wtl_zes_part *list; /* grown with wtl_grow() */
    size_t count;
};

/* Append the channels of `device`, number `number` in the list, with `subdevices` tiles, and their parts. key[0] of a channel
 * is what to read, key[1] its part. 0 or -ENOMEM; what is not there is a note. */
int wtl_zes_add_channels(const struct wtl_zes_calls *calls,
                         void *device,
                         int number,
                         uint32_t subdevices,
                         struct wtl_zes_parts *parts,
                         struct wtl_gpu_list *list);

/* The raw value: 0 or -errno as wtl_gpu_backend.read. */
int wtl_zes_value(const struct wtl_zes_calls *calls,
                  struct wtl_zes_parts *parts,
                  const struct wtl_gpu_channel *channel,
                  uint64_t *ret_raw);

#endif
