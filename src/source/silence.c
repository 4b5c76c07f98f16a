/* SPDX-License-Identifier: BSD-3-Clause */
/* A list that only grows, with one item for each thread that was left in a driver: see silence.h. */
#include "source/silence.h"

#include <unistd.h>

static struct wtl_silence *_Atomic newest;

void wtl_silence_begin(struct wtl_silence *silence,
                       const struct wtl_driver *driver,
                       const struct wtl_world *world)
{
    silence->driver = driver;
    silence->world = world;
    silence->process = getpid();
    silence->next = atomic_load_explicit(&newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&newest, &silence->next, silence,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

bool wtl_silence_is(const struct wtl_driver *driver, const struct wtl_world *world)
{
    const struct wtl_silence *one = atomic_load_explicit(&newest, memory_order_acquire);
    while (one && !(one->driver == driver && one->world == world && one->process == getpid() &&
                    !atomic_load_explicit(&one->is_over, memory_order_acquire)))
        one = one->next;
    return one != NULL;
}
