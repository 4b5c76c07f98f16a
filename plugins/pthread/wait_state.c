/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_state.h"

#include <errno.h>
#include <stddef.h>

/* Marks may take locks at their first use, through the calls of this library. */
static __thread unsigned inside __attribute__((tls_model("initial-exec")));

/* Allocators: a mark that needs memory must not ask one that waits for its own lock. */
static const char *const runtimes[] = {
    "libomp",      "libiomp",     "libgomp",     "libwattle",    "libmpi",    "libopen-",
    "libpmix",     "libucp",      "libucs",      "libuct",       "libfabric", "libevent",
    "libjemalloc", "libtcmalloc", "libmimalloc", "libtbbmalloc", "libcuda",   NULL};

/* Known callers: address * 2 + is of a runtime. */
enum { CALLERS = 4096 };
static uint64_t callers[CALLERS];

bool wait_states_on(void)
{
    return inside == 0 && wattle_task_recording() == 1;
}

bool wait_is_of_runtime(const void *caller)
{
    uint64_t address = (uint64_t)(uintptr_t)caller;
    uint64_t *at = &callers[(address * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
    uint64_t have = __atomic_load_n(at, __ATOMIC_RELAXED);

    if (have >> 1 != address) {
        have = address << 1 | (code_is_of(caller, runtimes) != 0);
        __atomic_store_n(at, have, __ATOMIC_RELAXED);
    }
    return have & 1;
}

void wait_state_begin(struct wait_state *wait,
                      enum wattle_state state,
                      enum code_what what,
                      const void *caller)
{
    int saved = errno;

    wait->state = state;
    wait->id = 0;
    inside++;
    if (!wait_is_of_runtime(caller))
        wait->id = code_name(what, caller);
    if (wait->id != 0)
        wattle_task_mark(WATTLE_STATE_ENTER + state, wait->id, 0);
    inside--;
    errno = saved;
}

void wait_state_end(struct wait_state *wait)
{
    if (wait->id == 0)
        return;
    inside++;
    wattle_task_mark(WATTLE_STATE_LEAVE + wait->state, wait->id, 0);
    inside--;
    wait->id = 0;
}
