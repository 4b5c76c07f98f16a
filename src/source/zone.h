/* SPDX-License-Identifier: BSD-3-Clause */
/* What a zone of /sys/class/powercap speaks of: a sensor counts there, a limit holds there. */
#ifndef WTL_SOURCE_ZONE_H
#define WTL_SOURCE_ZONE_H

#include <wattle/quantity.h>

#include "base/world/world.h"

#define WTL_ZONES "/sys/class/powercap"

struct wtl_zone {
    const char *folder; /* "intel-rapl:0:2"; the caller's */
    char name[32];      /* "dram" */
    enum wattle_domain domain;
    int index, sub; /* package and die; -1 = no die. A zone of no known domain is OTHER, 0, -1 */
};

/* Is it a zone? The folders without a colon are control types. */
bool wtl_zone_is(const char *folder);

/*
 * By the zone's name ("package-1-die-0", "psys"), and for what lies below a package by the place of
 * its folder: intel-rapl:0:2 lies in intel-rapl:0. Returns 0, or why the name cannot be read, with
 * the remedy in err.
 */
int wtl_zone_identify(const struct wtl_world *world,
                      const char *folder,
                      struct wtl_zone *ret_zone,
                      struct wattle_error *err);

#endif
