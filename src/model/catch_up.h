/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Catch up: steps of a profile (profile.h) on their way out. A counter that stood still for a while between two readings
 * shows too little for one step and all the rest in the next: what each of them had nobody knows, and they become one. What
 * a counter shows that was not seen to count before may be of an earlier time.
 */
#ifndef WTL_MODEL_CATCH_UP_H
#define WTL_MODEL_CATCH_UP_H

#include <stdbool.h>

#include <wattle/channel.h>

#include "model/step.h"

/* Caller's storage; all zero but for the first three. */
struct wtl_catch_up {
    wtl_step_fn emit;
    void *context;
    const struct wattle_channel *channel; /* borrowed */
    struct wtl_step held[2];              /* waiting for the one behind them */
    unsigned count;
    double power; /* J per ns of the last step that shows one; 0 = none yet */
};

/* The next step; emits those that wait no longer. */
void wtl_catch_up_take(struct wtl_catch_up *c, const struct wtl_step *step);

/* No more steps. */
void wtl_catch_up_flush(struct wtl_catch_up *c);

#endif
