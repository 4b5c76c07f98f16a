/* SPDX-License-Identifier: BSD-3-Clause */
/* Governor: how the machine chooses its frequencies. Taken before and after a run, since a change
 * in between makes it worthless for comparison. */
#ifndef WTL_COUNTERS_GOVERNOR_H
#define WTL_COUNTERS_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/world/world.h"

struct wtl_governor {
    char driver[32];           /* scaling_driver; "" = unknown */
    char governor[32];         /* of the first CPU; "mixed" when CPUs differ; "" = unknown */
    char epp[32];              /* energy_performance_preference, likewise */
    int turbo;                 /* 1 on, 0 off, -1 unknown */
    uint64_t min_khz, max_khz; /* scaling limits of the first CPU; 0 = unknown */
    int unread;                /* 0, or the first -errno of something that may be there */
    uint64_t digest;           /* of all of it over all CPUs: equal = nothing changed */
};

/* What cannot be read stays unknown. */
void wtl_governor_read(const struct wtl_world *world, struct wtl_governor *ret_governor);

/* Has anything changed? Where something is unread that is not known, and the answer worth nothing. Writes what into text ("governor powersave to performance"). */
bool wtl_governor_changed(const struct wtl_governor *before,
                          const struct wtl_governor *after,
                          char *text,
                          size_t n);

#endif
