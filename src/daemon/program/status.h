/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The status of wattled: what it answers to `status`, and what `wattled --status` makes of the answer. Both are
 * from one table of fields. Users other than root see only what concerns them.
 */
#ifndef WTL_DAEMON_STATUS_H
#define WTL_DAEMON_STATUS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "daemon/server.h"

struct wtl_daemon;

/* Fill a reply: "ok", and a line `key = value` for each field. */
void wtl_status_print(struct wtl_daemon *daemon, uid_t uid, struct wtl_reply *reply);

enum wtl_status_code { WTL_STATUS_HEALTHY, WTL_STATUS_DEGRADED, WTL_STATUS_NOT_RUNNING };

/* Ask the wattled of a run_dir and print its answer, as text or JSON; *ret_code: what it says. 0, or -errno: it did not
 * answer (WTL_STATUS_NOT_RUNNING), with a sentence. */
int wtl_status_show(const char *run_dir,
                    bool json,
                    FILE *out,
                    enum wtl_status_code *ret_code,
                    struct wattle_error *err);

#endif
