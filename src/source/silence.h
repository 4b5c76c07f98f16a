/* SPDX-License-Identifier: BSD-3-Clause */
/* Which drivers do not answer: those in which a thread of this process was left. Nobody waits for such a driver a second time
 * before that thread has come back. */
#ifndef WTL_SOURCE_SILENCE_H
#define WTL_SOURCE_SILENCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "source/driver.h"

/* Part of what the thread uses, and never freed; zeroed at first. */
struct wtl_silence {
    const struct wtl_driver *driver;
    const struct wtl_world *world;
    pid_t process;       /* a child of fork has no such thread */
    atomic_bool is_over; /* set by the thread when it has come back */
    struct wtl_silence *next;
};

void wtl_silence_begin(struct wtl_silence *silence,
                       const struct wtl_driver *driver,
                       const struct wtl_world *world);
bool wtl_silence_is(const struct wtl_driver *driver, const struct wtl_world *world);

#endif
