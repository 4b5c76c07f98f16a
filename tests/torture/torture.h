/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Torture: a case is run again and again, and each time one more of its calls fails: first each
 * allocation, then each call to its world. A case makes what it needs, uses it and takes it down
 * again; it returns what the code under test returned. After each run must hold:
 *
 *   - no block and no descriptor is left that was not there before (under ASan also: no misuse);
 *   - a run whose n-th allocation failed returns -ENOMEM. A case that may do without some of its
 *     memory (`optional`) may return 0, too, but nothing else;
 *   - the run in which nothing failed returns 0, and is the last one.
 *
 * Only calls from the code of wattle are failed (the linker's --wrap), not those inside of libc.
 * A failing call of the world may have any outcome but a leak or a crash: it is part of ordinary
 * life. Outputs: fill them with torture_mark() before and ask torture_untouched() after a failure.
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
    bool optional; /* may return 0 though an allocation failed */
};

/* Run a case with each of its allocations failing in turn. Returns whether all held; what did not is
 * said in lines of comment. */
bool torture_allocations(const struct torture_case *test);

/* The same with each call to a world of torture_world() failing in turn by -error. */
bool torture_world_calls(const struct torture_case *test, int error);

/* A world around `inner` whose calls can be made to fail. What `inner` allocates itself is spared;
 * only its list() counts as an allocation. Its storage is the caller's. */
void torture_world(struct wtl_world *world, const struct wtl_world *inner);

/* Between these nothing fails and nothing is counted: preparing what is not under test. */
void torture_pause(void);
void torture_resume(void);

void torture_mark(void *object, size_t size);
/* Says what has changed by a failing check. */
void torture_untouched(const void *object, size_t size, const char *name);

#endif
