/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers perf_event_open(2) of the command and its children. A seccomp filter of the command reports the call to a
 * thread of wattle-sim, which opens an event of the node and puts a descriptor into the caller: a file of the node's own
 * FUSE mount, so that read(2), ioctl(2) and close(2) of the event reach the node like those of any other file. Events that
 * the node does not count (software, tracepoints, ...) are left to the kernel. No other call is slowed.
 */
#ifndef WTL_SIM_LISTENER_H
#define WTL_SIM_LISTENER_H

#include "sim/live_node.h"

/* In the command's process, before exec: a descriptor that reports its calls, for wtl_listener_start(); or -errno
 * with the remedy. Requires CAP_SYS_ADMIN in its user namespace. */
int wtl_listener_install(struct wattle_error *err);

struct wtl_listener;

/* Serve them. Takes both descriptors, also on failure: the one from above, and the root of the FUSE mount. */
int wtl_listener_start(struct wtl_live *live,
                       int notify_fd,
                       int root_fd,
                       struct wtl_listener **ret_listener,
                       struct wattle_error *err);
/* Calls from now on fail with ENOSYS. Before the FUSE server stops. Accepts NULL. */
void wtl_listener_stop(struct wtl_listener *listener);

#endif
