/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guard: a process that restores a journal when the holder asks for it, or ends for whatever reason. It has its own session,
 * ignores all signals and is no child of the holder. It is forked without exec and uses only what is safe after fork() in a
 * program with threads.
 */
#ifndef WTL_CONTROL_GUARD_H
#define WTL_CONTROL_GUARD_H

#include <wattle/error.h>

#include "control/journal.h"
#include "control/place.h"

/* Start a guard of the journal: a socket to it, or -errno with a sentence. */
int wtl_guard_start(const struct wtl_control *control,
                    struct wtl_journal *journal,
                    pid_t *ret_guard,
                    struct wattle_error *err);

/* Let the guard restore, wait until it has, and close the socket: 0; the journal is removed if nothing is open. -EPIPE: it is
 * dead, or was stopped and has been killed, and the caller restores. */
int wtl_guard_finish(int fd, pid_t guard);

#endif
