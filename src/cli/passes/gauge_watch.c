/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that reads gauges: see gauge_watch.h. */
#define _GNU_SOURCE
#include "cli/passes/gauge_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/world/world.h"
#include "model/reading.h"

static int read_gauge(struct wtl_watched_gauge *gauge)
{
    struct wattle_reading reading = {0};
    gauge->pick.source->driver->read(gauge->pick.source, gauge->pick.at, 1, &reading);
    double time_s = (double)reading.time_ns * 1e-9;
    bool is_later = gauge->count == 0 || gauge->readings[gauge->count - 1].time_s < time_s;
    if (reading.status < 0 || !is_later)
        return 0; /* what is missing shows as a gap */
    if (wtl_grow(&gauge->readings, gauge->count, sizeof *gauge->readings) < 0)
        return -ENOMEM;
    gauge->readings[gauge->count++] =
        (struct wtl_gauge_reading){time_s, wtl_channel_value(&gauge->channel, reading.raw)};
    return 0;
}

static void *work(void *context)
{
    struct wtl_gauge_watch *watch = context;
    uint64_t next_ns = wtl_world_monotonic(wtl_world_real());
    while (watch->rc == 0 && !atomic_load(&watch->stop)) {
        uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
        next_ns = next_ns + watch->every_ns > now_ns ? next_ns + watch->every_ns : now_ns;
        for (size_t i = 0; watch->rc == 0 && i < watch->count; i++)
            watch->rc = read_gauge(&watch->gauges[i]);
        const struct timespec until = {.tv_sec = (time_t)(next_ns / 1000000000),
                                       .tv_nsec = (long)(next_ns % 1000000000)};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return NULL;
}

int wtl_gauge_watch_start(struct wtl_gauge_watch *watch, struct wattle_error *err)
{
    sigset_t all, old;
    (void)wtl_gauge_watch_stop(watch);
    for (size_t i = 0; i < watch->count; i++)
        watch->gauges[i].count = 0;
    watch->rc = 0;
    atomic_store(&watch->stop, false);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old); /* inherited: signals are the main thread's */
    int rc = -pthread_create(&watch->thread, NULL, work, watch);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    watch->runs = rc == 0;
    return rc < 0 ? wtl_fail(err, rc, "cannot start a thread that reads the gauge: %s",
                             wtl_strerror(rc))
                  : 0;
}

int wtl_gauge_watch_stop(struct wtl_gauge_watch *watch)
{
    if (!watch->runs)
        return watch->rc;
    atomic_store(&watch->stop, true);
    (void)pthread_join(watch->thread, NULL);
    watch->runs = false;
    return watch->rc;
}

void wtl_gauge_watch_fini(struct wtl_gauge_watch *watch)
{
    (void)wtl_gauge_watch_stop(watch);
    for (size_t i = 0; i < watch->count; i++)
        free(watch->gauges[i].readings);
    free(watch->gauges);
    watch->gauges = NULL;
    watch->count = 0;
}
