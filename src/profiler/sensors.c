/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public view of the sensors (<wattle/sensors.h>): the selection of all drivers on the real
 * machine, read run by run, each run stamped with the midpoint between two readings of the clock.
 */
#include <wattle/sensors.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "record/replay.h"
#include "source/registry.h"
#include "source/select.h"

struct wattle_sensors {
    const struct wtl_world *world;
    struct wtl_selection *selection;
};

int wattle_sensors_open(const char *which,
                        struct wattle_sensors **ret_sensors,
                        struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_library();
    struct wtl_request request = {.drivers = wtl_drivers, .which = which};
    struct wtl_selection *selection;
    if (!ret_sensors)
        return wtl_fail(err, -EINVAL,
                        "sensors: ret_sensors is NULL; give the address of a "
                        "struct wattle_sensors *");
    int rc = wtl_replay_or_select(&request, world, &selection, err);
    if (rc < 0)
        return rc;
    rc = wtl_selection_check(selection, err);
    struct wattle_sensors *sensors = rc == 0 ? calloc(1, sizeof *sensors) : NULL;
    if (!sensors) {
        wtl_selection_close(selection);
        return rc < 0 ? rc : wtl_no_memory_for(err, "the sensors");
    }
    sensors->world = world;
    sensors->selection = selection;
    *ret_sensors = sensors;
    return 0;
}

void wattle_sensors_close(struct wattle_sensors *sensors)
{
    if (!sensors)
        return;
    wtl_selection_close(sensors->selection);
    free(sensors);
}

size_t wattle_sensors_channel_count(const struct wattle_sensors *sensors)
{
    return sensors ? sensors->selection->recorded_count : 0;
}

const struct wattle_channel *wattle_sensors_channel(const struct wattle_sensors *sensors,
                                                    size_t channel)
{
    return channel < wattle_sensors_channel_count(sensors) ? &sensors->selection->channels[channel]
                                                           : NULL;
}

int wattle_sensors_read(struct wattle_sensors *sensors,
                        struct wattle_reading *ret_readings,
                        size_t n,
                        struct wattle_error *err)
{
    size_t count = wattle_sensors_channel_count(sensors);
    int good = 0;
    if (!sensors || !ret_readings)
        return wtl_fail(err, -EINVAL, "sensors: NULL was given; sensors and an array are required");
    if (n < count)
        return wtl_fail(err, -EINVAL,
                        "sensors: the array has %zu elements for %zu channels; allocate "
                        "wattle_sensors_channel_count() elements",
                        n, count);
    for (size_t i = 0; i < count;) {
        const struct wtl_pick *pick = &sensors->selection->picks[i];
        size_t run = wtl_selection_run(sensors->selection, i);
        uint64_t before = wtl_world_monotonic(sensors->world);
        pick->source->driver->read(pick->source, pick->at, run, ret_readings + i);
        uint64_t after = wtl_world_monotonic(sensors->world);
        for (size_t end = i + run; i < end; i++) {
            if (ret_readings[i].time_ns == 0)
                ret_readings[i].time_ns = before + (after - before) / 2;
            good += ret_readings[i].status == 0;
        }
    }
    return good;
}

double wattle_sensors_difference(const struct wattle_sensors *sensors,
                                 size_t index,
                                 const struct wattle_reading *earlier,
                                 const struct wattle_reading *later)
{
    const struct wattle_channel *channel = wattle_sensors_channel(sensors, index);
    if (!channel || channel->kind != WATTLE_COUNTER || !earlier || !later || earlier->status != 0 ||
        later->status != 0)
        return NAN;
    uint64_t ticks = later->raw - earlier->raw; /* wraps correctly at 2^64 */
    if (later->raw < earlier->raw) {
        if (channel->modulus && earlier->raw >= channel->modulus)
            return NAN; /* not a reading of this counter */
        ticks += channel->modulus;
    }
    return (double)ticks * channel->scale;
}

/* Each poll reads one channel from its driver. */
int wattle_sensors_edge(struct wattle_sensors *sensors,
                        size_t index,
                        uint64_t timeout_ns,
                        struct wattle_reading *ret_reading,
                        struct wattle_error *err)
{
    const struct wattle_channel *channel = wattle_sensors_channel(sensors, index);
    if (!channel || !ret_reading)
        return wtl_fail(err, -EINVAL, "sensors: no channel %zu, or ret_reading is NULL", index);
    if (channel->kind != WATTLE_COUNTER)
        return wtl_fail(
            err, -EINVAL,
            "%s: not a counter, so it has no updates to wait for; use wattle_sensors_read()",
            channel->name);
    const struct wtl_pick *pick = &sensors->selection->picks[index];
    uint64_t start_ns = wtl_world_monotonic(sensors->world), before_ns = start_ns;
    uint64_t last_ns = 0, last_raw = 0;
    while (before_ns - start_ns <= timeout_ns) {
        struct wattle_reading reading = {0};
        pick->source->driver->read(pick->source, pick->at, 1, &reading);
        uint64_t after_ns = wtl_world_monotonic(sensors->world);
        uint64_t middle_ns = before_ns + (after_ns - before_ns) / 2;
        if (reading.status != 0)
            return wtl_fail(err, reading.status, "%s: %s: %s", channel->name, channel->location,
                            wtl_strerror(reading.status));
        if (last_ns && reading.raw != last_raw) {
            reading.time_ns = last_ns + (middle_ns - last_ns) / 2;
            *ret_reading = reading;
            return 0;
        }
        last_raw = reading.raw;
        last_ns = middle_ns;
        before_ns = after_ns;
    }
    return wtl_fail(err, -ETIMEDOUT,
                    "%s: no update within %llu ns; wait longer, unless the part uses no energy",
                    channel->name, (unsigned long long)timeout_ns);
}
