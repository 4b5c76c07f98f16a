/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that is not ours, watched for its end; safe against its number being used again. */
#ifndef WTL_CLI_WATCH_H
#define WTL_CLI_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include <wattle/error.h>

struct wtl_watch {
    int pidfd;  /* becomes readable when the process ends; -1 = none */
    int folder; /* its /proc/PID, to be looked at from time to time where there are no pidfds */
};

static inline struct wtl_watch wtl_watch_none(void)
{
    return (struct wtl_watch){.pidfd = -1, .folder = -1};
}

/* 0; or -ESRCH and others with a sentence. */
int wtl_watch_open(pid_t pid, struct wtl_watch *ret_watch, struct wattle_error *err);
void wtl_watch_close(struct wtl_watch *watch);

/* Has it ended? False when none is watched. A process that nobody has waited for yet has ended, too. */
bool wtl_watch_ended(const struct wtl_watch *watch);

#endif
