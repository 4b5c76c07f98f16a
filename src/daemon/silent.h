/* SPDX-License-Identifier: BSD-3-Clause */
/* Which drivers hang while they are opened: found by another process, before the sensors are opened in this one, where no
 * thread may be left in a driver when privileges are given up. */
#ifndef WTL_DAEMON_SILENT_H
#define WTL_DAEMON_SILENT_H

#include <wattle/error.h>

#include "base/world/world.h"
#include "daemon/daemon_settings.h"

/* Open the sensors in a child, at most 30 s. Drivers that hang there are skipped with their reason when they are opened here
 * (source/silence.h). Only while this process has one thread. 0; -ETIMEDOUT, -EAGAIN, -ENOMEM with a sentence. */
int wtl_silent_find(const struct wtl_world *world,
                    const struct wtl_daemon_settings *settings,
                    struct wattle_error *err);

#endif
