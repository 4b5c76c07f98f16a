/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to wattled on this node (docs/format/page.md), which only root may make. */
#ifndef WTL_CLI_WATTLED_LINK_H
#define WTL_CLI_WATTLED_LINK_H

#include <stddef.h>

#include <wattle/error.h>

enum { WTL_WATTLED_REPLY = 16001 }; /* the longest, and its end */

/* Send a request; *ret_lines: what follows "ok", in reply. 0, or -errno with a sentence: of the connection, or why wattled
 * refuses (-EPERM not root, -EEXIST, -ENOENT a job, -EIO others); -ECONNREFUSED: it does not run. */
int wtl_wattled_ask(const char *request,
                    char reply[WTL_WATTLED_REPLY],
                    char **ret_lines,
                    struct wattle_error *err);

/* For begin and end by hand: whoever gives up does not know whether the job has begun or ended. */
enum { WTL_WATTLED_BRACKET_MS = 10000 };

/* The same, but wait for wattled no longer than this: -ETIMEDOUT. For programs that hold up jobs. */
int wtl_wattled_ask_within(const char *request,
                           unsigned timeout_ms,
                           char reply[WTL_WATTLED_REPLY],
                           char **ret_lines,
                           struct wattle_error *err);

#endif
