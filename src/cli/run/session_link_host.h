/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measuring process of a bracket: what it does while measuring, and how it answers. All on one thread. It ends on "stop", on a terminating signal, or when the process that it watches, the shell, has ended.
 *
 *     host = (struct wtl_session_link_host){.bracket = ..., .signals = ..., .client = -1, ...};
 *     measure.attendant = (struct wtl_attendant){wtl_session_link_attend, &host};
 *     wtl_trials_measure(...);
 *     if (host.client >= 0) ... print on host.out ...
 *     wtl_session_link_answer(&host, NULL);
 */
#ifndef WTL_CLI_SESSION_LINK_HOST_H
#define WTL_CLI_SESSION_LINK_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/child.h"
#include "cli/run/measure.h"
#include "cli/run/session_link.h"
#include "report/report.h"

struct wtl_session_link_host {
    const struct wtl_session_link *bracket;
    struct wtl_signals *signals;
    const struct wtl_watch *watch;
    struct wtl_seat *seat;
    int report; /* descriptor of who started it: gets "WATTLE_SPOOL" folder's path; then closed */
    int listening;          /* -1 = not yet */
    int client, out;        /* for "stop": the waiting connection, and its stdout; -1 = none */
    enum wtl_format format; /* as requested by "stop" */
    bool verbose;           /* likewise */
    uint32_t stage;         /* ID of the open region; 0 = none */
    int no_spool;           /* 0, or why the region file could not be created */
    bool failed;            /* setup failed: see err */
    struct wattle_error err;
};

/* context: the host. */
void wtl_session_link_attend(void *context, struct wtl_measurement *measurement);

/* Answer the waiting client, if any: done, or the error message. */
void wtl_session_link_answer(struct wtl_session_link_host *host, const char *sentence);

#endif
