/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver opened on a recorded host of tests/hosts, for driver tests. */
#ifndef WATTLE_TESTS_HOST_H
#define WATTLE_TESTS_HOST_H

#include <errno.h>
#include <string.h>

#include "base/world/world.h"
#include "base/world/world_recorded.h"
#include "source/driver.h"
#include "tap.h"

#define HOSTS WATTLE_SOURCE_DIR "/tests/hosts/"

struct host {
    struct wtl_world *world;
    struct wtl_source source;
    struct wattle_error err;
    int rc;          /* result of the driver's open */
    char said[2048]; /* its failure, or its notes joined by "; " */
};

static inline struct wtl_world *host_world(const char *name)
{
    char path[512];
    struct wattle_error err = {{0}};
    struct wtl_world *world = NULL;
    (void)snprintf(path, sizeof path, HOSTS "%s", name);
    if (!ok(wtl_world_recorded(path, &world, &err) == 0, "host %s opens", name)) {
        diag("%s", err.text);
        exit(done_testing());
    }
    return world;
}

static inline struct host host_open(const char *name,
                                    const struct wtl_driver *driver,
                                    const struct wtl_settings *settings)
{
    struct host host = {.world = host_world(name)};
    host.rc = wtl_source_open(&host.source, driver, host.world, settings, NULL, &host.err);
    size_t used = 0;
    if (host.rc < 0)
        diag("%s: %s", name, host.err.text);
    if (host.rc < 0)
        (void)snprintf(host.said, sizeof host.said, "%s", host.err.text);
    for (size_t i = 0; i < host.source.note_count && used < sizeof host.said; i++)
        used += (size_t)snprintf(host.said + used, sizeof host.said - used, "%s%s", i ? "; " : "",
                                 host.source.notes[i].text);
    return host;
}

/* Closes everything and checks that nothing is left open. */
static inline void host_close(struct host *host, const char *name)
{
    wtl_source_close(&host->source);
    is_int(wtl_world_recorded_open_fds(host->world), 0, "%s: nothing stays open", name);
    wtl_world_close(host->world);
}

static inline void host_at(struct host *host, double seconds)
{
    uint64_t at = WTL_RECORDED_START_NS + (uint64_t)(seconds * 1e9 + 0.5);
    (void)host->world->ops->sleep_until(host->world, at);
}

static inline const struct wattle_channel *host_channel(const struct host *host, const char *name)
{
    for (size_t i = 0; i < host->source.count; i++) {
        if (strcmp(host->source.channels[i].name, name) == 0)
            return &host->source.channels[i];
    }
    return NULL;
}

/* One reading of one channel; status -ENOENT if there is no such channel. */
static inline struct wattle_reading host_read(struct host *host, const char *name)
{
    struct wattle_reading reading = {.status = -ENOENT};
    const struct wattle_channel *channel = host_channel(host, name);
    if (channel)
        host->source.driver->read(&host->source, (size_t)(channel - host->source.channels), 1,
                                  &reading);
    return reading;
}

/* Mean power of a counter between two instants that are no more than a wrap apart. */
static inline double host_power(struct host *host, const char *name, double from, double to)
{
    const struct wattle_channel *channel = host_channel(host, name);
    if (!channel)
        return -1;
    host_at(host, from);
    struct wattle_reading a = host_read(host, name);
    host_at(host, to);
    struct wattle_reading b = host_read(host, name);
    uint64_t ticks = b.raw - a.raw;
    if (b.raw < a.raw && channel->modulus)
        ticks += channel->modulus;
    return a.status || b.status ? -1 : (double)ticks * channel->scale / (to - from);
}

#endif
