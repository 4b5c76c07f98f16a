/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Torture: a case is run repeatedly, and each time one more of its calls fails: first each allocation, then each call
 * to its world. A case creates what it needs, uses it and destroys it again; it returns what the code under test
 * returned. After each run:
 *
 *   - no block and no descriptor is left that was not there before (under ASan also: no misuse);
 *   - a run whose n-th allocation failed returns -ENOMEM. A case that can do without some of its
 *     memory (`optional`) may also return 0, but nothing else;
 *   - the run in which nothing failed returns 0, and is the last one.
 *
 * Only calls from wattle's code fail (the linker's --wrap), not those inside libc. A failing call of the world may have
 * any outcome except a leak or a crash: such failures are part of ordinary operation. Outputs: fill them with
 * torture_mark() before and call torture_untouched() after a failure.
 */
#ifndef WATTLE_TESTS_TORTURE_H
#define WATTLE_TESTS_TORTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/world/world.h"

struct torture_case {
    const char *name;
    int (*run)(const struct torture_case *self);
    const void *context;
    bool optional; /* may return 0 even if an allocation failed */
};

/* Run a case with each of its allocations failing in turn. Returns whether all runs passed; failures are described in
 * comment lines. */
bool torture_allocations(const struct torture_case *test);

/* The same with each call to a world of torture_world() failing in turn by -error. */
bool torture_world_calls(const struct torture_case *test, int error);

/* A world around `inner` whose calls can be made to fail. Allocations of `inner` itself are not affected, except by its
 * list(). The caller owns its storage. */
void torture_world(struct wtl_world *world, const struct wtl_world *inner);

/* Between these nothing fails and nothing is counted: for preparing what is not under test. */
void torture_pause(void);
void torture_resume(void);

void torture_mark(void *object, size_t size);
/* Reports a change as a failed check. */
void torture_untouched(const void *object, size_t size, const char *name);

#endif
