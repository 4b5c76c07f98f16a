/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe: measures how long a channel takes to read and how often its value changes. */
#ifndef WTL_SOURCE_PROBE_H
#define WTL_SOURCE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "source/driver.h"

struct wtl_probe {
    unsigned reads;       /* successful reads, for the cost */
    uint64_t cost_ns;     /* median of one read; 0 = unknown (no good read) */
    uint64_t cost_p90_ns; /* 90th percentile */
    unsigned changes;     /* seen while polling */
    uint64_t refresh_ns;  /* median time between changes; 0 = fewer than three changes seen */
    uint64_t polled_ns;   /* duration of polling */
};

/*
 * Read channel `at` of an open source up to `reads` times (at most 256) to find the cost, then poll it until
 * it has changed 33 times or budget_ns has passed to find the refresh period. Blocks, does not allocate.
 * Returns 0, or the channel's negative errno when no read succeeded.
 */
int wtl_probe_channel(struct wtl_source *source,
                      size_t at,
                      unsigned reads,
                      uint64_t budget_ns,
                      struct wtl_probe *ret_probe);

#endif
