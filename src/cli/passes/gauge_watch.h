/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauges, read by a thread much more often than they publish: while a command runs, and before and after it. */
#ifndef WTL_CLI_GAUGE_WATCH_H
#define WTL_CLI_GAUGE_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/gauge/gauge_reading.h"
#include "source/select.h"

struct wtl_watched_gauge {
    struct wtl_pick pick;
    struct wattle_channel channel;
    struct wtl_gauge_reading *readings; /* on CLOCK_MONOTONIC, without those that failed; owned */
    size_t count;
};

struct wtl_gauge_watch {
    struct wtl_watched_gauge *gauges; /* owned */
    size_t count;
    uint64_t every_ns;
    pthread_t thread;
    _Atomic bool stop;
    bool runs;
    int rc; /* of the thread: 0 or -ENOMEM */
};

/* Forget the readings, and read from now on. While it runs, nothing else may use the gauges' sources. 0 or -errno with a message. */
int wtl_gauge_watch_start(struct wtl_gauge_watch *watch, struct wattle_error *err);
/* Stop reading, if it runs. 0 or -ENOMEM: readings are missing. */
int wtl_gauge_watch_stop(struct wtl_gauge_watch *watch);
void wtl_gauge_watch_fini(struct wtl_gauge_watch *watch);

#endif
