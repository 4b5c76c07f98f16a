/* SPDX-License-Identifier: BSD-3-Clause */
/* What a zone of /sys/class/powercap covers: the sensor counts it, the limits apply to it. */
#ifndef WTL_MODEL_ZONE_H
#define WTL_MODEL_ZONE_H

#include <wattle/quantity.h>

#include "base/world/world.h"

#define WTL_ZONES "/sys/class/powercap"

struct wtl_zone {
    const char *folder; /* "intel-rapl:0:2"; owned by the caller */
    char name[32];      /* "dram" */
    enum wattle_domain domain;
    int index, sub; /* package and die; -1 = no die. A zone of unknown domain is OTHER, 0, -1 */
};

/* Whether the folder is a zone. Folders without a colon are control types. */
bool wtl_zone_is(const char *folder);

/*
 * Identify a zone by its name ("package-1-die-0", "psys"), and subzones of a package by the location of their
 * folder: intel-rapl:0:2 is in intel-rapl:0. Returns 0, or the reason why the name cannot be read, with the
 * remedy in err.
 */
int wtl_zone_identify(const struct wtl_world *world,
                      const char *folder,
                      struct wtl_zone *ret_zone,
                      struct wattle_error *err);

#endif
