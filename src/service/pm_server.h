/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sockets of a pmlib server: connections, their limits, and the loop. One thread. A connection is closed when its first
 * request is not complete after 5 s, when it takes none of its reply for 30 s, and when its host no longer answers.
 */
#ifndef WTL_SERVICE_PM_SERVER_H
#define WTL_SERVICE_PM_SERVER_H

#include <signal.h>

#include <wattle/error.h>

#include "service/pm_peer.h"
#include "service/pm_settings.h"

struct wtl_pm_server;

struct wtl_pm_server_ops {
    /* Whether something measures now. Called in each turn of the loop; true = call it again within a second. */
    bool (*need)(void *context, bool needed, uint64_t now_ns);
    void *context;
};

/* Listen. The service must outlive the server. 0, or the error with a sentence. */
int wtl_pm_server_open(const struct wtl_pm_settings *settings,
                       struct wtl_pm_service *service,
                       const struct wtl_pm_server_ops *ops,
                       struct wtl_pm_server **ret_server,
                       struct wattle_error *err);
void wtl_pm_server_close(struct wtl_pm_server *server); /* accepts NULL */

/* The port of listener i, also one that the kernel chose. */
uint16_t wtl_pm_server_port(const struct wtl_pm_server *server, size_t i);

/* Serve until *stop is set by a signal that is blocked except while waiting: `awake` is the mask then. */
void wtl_pm_server_run(struct wtl_pm_server *server,
                       const volatile sig_atomic_t *stop,
                       const sigset_t *awake);

#endif
