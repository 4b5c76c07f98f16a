/* SPDX-License-Identifier: BSD-3-Clause */
/* Governor: how the machine selects its frequencies. Read before and after a run, since a run during which
 * it changes cannot be compared. */
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
    int unread;                /* 0, or the first -errno of something that may exist */
    uint64_t digest;           /* of all values of all CPUs: equal = nothing changed */
};

/* Values that cannot be read stay unknown. */
void wtl_governor_read(const struct wtl_world *world, struct wtl_governor *ret_governor);

/* Whether anything changed. If something is unread, that is unknown, and the result means nothing. Writes
 * a description into text ("governor powersave to performance"). */
bool wtl_governor_changed(const struct wtl_governor *before,
                          const struct wtl_governor *after,
                          char *text,
                          size_t n);

#endif
