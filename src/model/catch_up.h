/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Catch up: the last stage for steps of a profile (profile.h). A counter that stands still for a while
 * between two readings shows too little for one step and all the rest in the next. How much belongs to each
 * is unknown, so they are merged. Energy of a counter that was not seen counting before may belong to an
 * earlier time.
 */
#ifndef WTL_MODEL_CATCH_UP_H
#define WTL_MODEL_CATCH_UP_H

#include <stdbool.h>

#include <wattle/channel.h>

#include "model/step.h"

/* Caller's storage; all zero except the first three. */
struct wtl_catch_up {
    wtl_step_fn emit;
    void *context;
    const struct wattle_channel *channel; /* borrowed */
    struct wtl_step held[2];              /* waiting for the next one */
    unsigned count;
    double power; /* J per ns of the last step that shows a power; 0 = none yet */
};

/* Process the next step; emits those that need not wait any longer. */
void wtl_catch_up_take(struct wtl_catch_up *c, const struct wtl_step *step);

/* No more steps. */
void wtl_catch_up_flush(struct wtl_catch_up *c);

#endif
