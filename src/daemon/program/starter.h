/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts wattle-gpu for wattled, which itself can start no process once its system calls are filtered: a process that is forked
 * before the sensors are opened, becomes wattled's user (with the groups of that user, such as render), and waits for orders on a
 * socket. So the libraries of GPUs never run with wattled's first privileges, and are started again after a crash. It starts
 * nothing else, and from wtl_starter_seal() on only what was started before with the same words: whoever took over a filtered
 * wattled could not have it load another library. It ends with wattled.
 */
#ifndef WTL_DAEMON_STARTER_H
#define WTL_DAEMON_STARTER_H

#include <wattle/error.h>

#include "base/world/world.h"

struct wtl_starter;

/* Fork it, from a process without threads. 0, or -errno with a sentence. */
int wtl_starter_open(const struct wtl_world *world,
                     const char *user,
                     struct wtl_starter **ret_starter,
                     struct wattle_error *err);

/* The world, in which converse() and reap() are those of the starter. Any thread may use it. */
const struct wtl_world *wtl_starter_world(const struct wtl_starter *starter);

/* Sensors are open: end the process if it was not needed, else see above. */
void wtl_starter_seal(struct wtl_starter *starter);

/* Accepts NULL. */
void wtl_starter_close(struct wtl_starter *starter);

#endif
