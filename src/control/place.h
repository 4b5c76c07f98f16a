/* SPDX-License-Identifier: BSD-3-Clause */
/* Where control acts, and how it reports. */
#ifndef WTL_CONTROL_PLACE_H
#define WTL_CONTROL_PLACE_H

#include <stdbool.h>

#include "base/world/world.h"

struct wtl_control {
    const struct wtl_world *world;
    const char *
        folder; /* of journals; NULL = WATTLE_CONTROL_DIR of the environment, /run/wattle-control */
    void (*tell)(void *context,
                 const char *sentence); /* each thing that a person should know; NULL = none */
    void *context;
    /* For tests: called before and after each step that leaves something behind. NULL = none. */
    void (*step)(void *step_context, bool in_guard);
    void *step_context;
};

#endif
