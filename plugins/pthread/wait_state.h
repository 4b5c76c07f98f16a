/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A state of the calling thread (<wattle/task.h>) while it waits, or for as long as it runs a function, named by the place
 * in the code. Waits of libraries that are tools or runtimes themselves are left out: they have states of their own, or
 * would be nothing that the program does.
 */
#ifndef WAIT_STATE_H
#define WAIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/task.h>

#include "../ompt/code_name.h"

struct wait_state {
    enum wattle_state state;
    uint32_t id; /* 0 = not recorded */
};

/* Would a wait be recorded now? Cheap. No while the calling thread is inside of this library. */
bool wait_states_on(void);

/* Is this the code of a runtime or tool? */
bool wait_is_of_runtime(const void *caller);

/* Begin a state, if the code is the program's; end it by wait_state_end(), also on unwinding. */
void wait_state_begin(struct wait_state *wait,
                      enum wattle_state state,
                      enum code_what what,
                      const void *caller);
void wait_state_end(struct wait_state *wait);

#endif
