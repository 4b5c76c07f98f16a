/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracks drivers that do not answer, that is, those in which a thread of this process is stuck. Such a
 * driver is not waited for again before that thread has returned. */
#ifndef WTL_SOURCE_SILENCE_H
#define WTL_SOURCE_SILENCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "source/driver.h"

/* Part of what the thread uses, never freed; initially zero. */
struct wtl_silence {
    const struct wtl_driver *driver;
    const struct wtl_world *world;
    pid_t process;       /* a child of fork has no such thread */
    atomic_bool is_over; /* set by the thread when it returns */
    struct wtl_silence *next;
};

void wtl_silence_begin(struct wtl_silence *silence,
                       const struct wtl_driver *driver,
                       const struct wtl_world *world);
bool wtl_silence_is(const struct wtl_driver *driver, const struct wtl_world *world);

#endif
