/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattled: everything that it holds, and its loop. Opened with privileges, which are given up before it
 * serves anybody:
 *
 *     the process that starts wattle-gpu (starter.h)
 *     folders, sensors, lock of the ledger, socket     with privileges
 *     wtl_privilege_drop()
 *     allowed users, jobs, pages, threads that sample
 *     wtl_privilege_filter()
 *     wtl_daemon_serve()
 *
 * Thread rule: all calls from one thread, which also receives the signals.
 */
#ifndef WTL_DAEMON_DAEMON_H
#define WTL_DAEMON_DAEMON_H

#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"
#include "daemon/daemon_settings.h"

struct wtl_daemon;

struct wtl_daemon_options {
    const struct wtl_world *world; /* must outlive the daemon, like everything here */
    const struct wtl_daemon_settings *settings;
    /* Read the settings again and pass them to wtl_daemon_use(): 0, or -errno with a sentence. */
    int (*reload)(void *context, struct wtl_daemon *daemon, struct wattle_error *err);
    void *context;
    /* Not NULL: if a part of the machine cannot be read, stop before privileges are given up, and write which part. */
    char (*ret_lacks)[128];
    pid_t
        waiting; /* the process that waits until it can (renewal.h), and with which this one ends; 0 = none */
};

/* Open everything. 0; -EBUSY, -EADDRINUSE: another wattled; -ENODEV, -EACCES: no sensor; others; always with a
 * sentence that says what to do; -EAGAIN also for *ret_lacks. */
int wtl_daemon_open(const struct wtl_daemon_options *options,
                    struct wtl_daemon **ret_daemon,
                    struct wattle_error *err);

/* Take new settings: what needs a restart stays as it is, which the log and the status say. 0 or -ENOMEM: nothing has
 * changed. */
int wtl_daemon_use(struct wtl_daemon *daemon,
                   const struct wtl_daemon_settings *settings,
                   struct wattle_error *err);

/* Serve until TERM or INT arrives. */
void wtl_daemon_serve(struct wtl_daemon *daemon);

/* Bring the ledger up to date, checkpoint the jobs, retire the pages, remove the socket. Accepts NULL. */
void wtl_daemon_close(struct wtl_daemon *daemon);

#endif
