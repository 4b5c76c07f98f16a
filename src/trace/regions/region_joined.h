/* SPDX-License-Identifier: BSD-3-Clause */
/* The energies of a region on several channels, combined. */
#ifndef WTL_TRACE_REGION_JOINED_H
#define WTL_TRACE_REGION_JOINED_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/blocks/footer.h"

/* Channels of a trace that may be added up. */
struct wtl_channel_set {
    size_t *ids; /* indices in the trace */
    const struct wattle_channel **channels;
    size_t count;
};

/* The region's energy on these channels: inclusive, or exclusive. For an estimate the half width includes
 * the possible error of its model. */
struct wtl_energy wtl_region_join(const struct wtl_region_summary *region,
                                  bool exclusive,
                                  const struct wtl_channel_set *set);

#endif
