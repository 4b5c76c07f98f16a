/* SPDX-License-Identifier: BSD-3-Clause */
/* The energies of a region on several channels, joined to one. */
#ifndef WTL_TRACE_REGION_JOINED_H
#define WTL_TRACE_REGION_JOINED_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/footer.h"

/* Channels of a trace that may be added up. */
struct wtl_channel_set {
    size_t *ids; /* in the trace */
    const struct wattle_channel **channels;
    size_t count;
};

struct wtl_region_joined {
    double energy_j;    /* sum over the channels; NaN = unknown */
    double half_j;      /* 95 %; of an estimate with what its model may be wrong */
    bool interval_only; /* too short to be resolved: energy_j is the middle of the interval */
};

/* The region's energy on these channels: inclusive, or exclusive. */
struct wtl_region_joined wtl_region_join(const struct wtl_region_summary *region,
                                         bool exclusive,
                                         const struct wtl_channel_set *set);

#endif
