/* SPDX-License-Identifier: BSD-3-Clause */
/* Watch a process that is not our child for its end; safe against reuse of its PID. */
#ifndef WTL_CLI_WATCH_H
#define WTL_CLI_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include <wattle/error.h>

struct wtl_watch {
    int pidfd;  /* becomes readable when the process ends; -1 = none */
    int folder; /* its /proc/PID, polled if pidfds are not available */
};

static inline struct wtl_watch wtl_watch_none(void)
{
    return (struct wtl_watch){.pidfd = -1, .folder = -1};
}

/* Returns 0, or -ESRCH and others with a message. */
int wtl_watch_open(pid_t pid, struct wtl_watch *ret_watch, struct wattle_error *err);
void wtl_watch_close(struct wtl_watch *watch);

/* Has it ended? False if none is watched. A zombie has ended. */
bool wtl_watch_ended(const struct wtl_watch *watch);

#endif
