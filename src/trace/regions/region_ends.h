/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a window average leaves open at the ends of a set's stretches: by the rule of a whole measurement (wtl_window_ends_j() of
 * model/bound.h), from the steps around both ends and the least one within.
 */
#ifndef WTL_TRACE_REGION_ENDS_H
#define WTL_TRACE_REGION_ENDS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/channel.h>

#include "model/step.h"

/* Of one set. Initially zero; must not move while it is on. */
struct wtl_region_ends {
    double first_w, least_w; /* of the present stretch */
    double half_j;           /* of all that have ended: the error of each may be the same */
};

/* Sets that are on. Initially zero. */
struct wtl_region_open {
    struct wtl_region_ends **ends;
    size_t count;
};

/* The set switches in `step`; before: the one before it, NULL if it is not known. 0 or -ENOMEM. */
int wtl_region_ends_switch(struct wtl_region_open *open,
                           struct wtl_region_ends *ends,
                           const struct wattle_channel *channel,
                           const struct wtl_step *before,
                           const struct wtl_step *step,
                           bool on);

/* A step has passed. */
void wtl_region_ends_step(const struct wtl_region_open *open, const struct wtl_step *step);

#endif
