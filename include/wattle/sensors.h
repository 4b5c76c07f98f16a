/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sensors of this machine: find them and read them from time to time. For a continuous
 * recording use <wattle/recorder.h>.
 *
 *     struct wattle_sensors *s;
 *     if (wattle_sensors_open(NULL, &s, &err) < 0)
 *         ... err.text says why ...
 *     for (size_t i = 0; i < wattle_sensors_channel_count(s); i++)
 *         puts(wattle_sensors_channel(s, i)->name);
 *     wattle_sensors_close(s);
 *
 * The raw value of a counter wraps at the modulus of its channel (package counters within minutes):
 * subtract readings with wattle_sensors_difference().
 *
 * Thread rule: one thread at a time per object, unless a call says otherwise. After fork, parent
 * and child may both continue to use what the parent opened.
 */
#ifndef WATTLE_SENSORS_H
#define WATTLE_SENSORS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wattle_sensors;

/* One reading of one channel. Used in arrays, so its layout never changes. */
struct wattle_reading {
    uint64_t raw;     /* ticks; value = raw * channel scale (gauges: two's complement) */
    uint64_t time_ns; /* CLOCK_MONOTONIC, midpoint of the clock before and after the read */
    int status;       /* 0, or a negative errno: why this channel has no value now */
};

/*
 * Open the sensors named in `which`: NAME[:KEY=VALUE]... separated by commas without spaces
 * ("powercap,hwmon"), with names as listed by "wattle sensors" and settings as described in
 * wattle-sensors(7). A named sensor provides all its channels; "all" selects every sensor. NULL
 * selects what is available: each domain from its best sensor, and the estimate only if nothing
 * measures. The caller owns *ret_sensors and frees it with wattle_sensors_close(). Returns 0;
 * -ENODEV when there are no sensors; -EACCES when there are sensors but none may be read; -EINVAL
 * for an unknown name; -ENOMEM. Safe from any thread. Since 0.1.
 */
int wattle_sensors_open(const char *which,
                        struct wattle_sensors **ret_sensors,
                        struct wattle_error *err);

/* Close and free. Accepts NULL. Since 0.1. */
void wattle_sensors_close(struct wattle_sensors *sensors);

/* Number of channels; 0 for NULL. Never changes. Since 0.1. */
size_t wattle_sensors_channel_count(const struct wattle_sensors *sensors);

/* Channel number `channel`, borrowed until close; NULL when out of range. Since 0.1. */
const struct wattle_channel *wattle_sensors_channel(const struct wattle_sensors *sensors,
                                                    size_t channel);

/*
 * Read all channels once into ret_readings[0 .. n-1], reading i from channel i; n is at least
 * wattle_sensors_channel_count(). A channel that fails has the reason in status and no value; the
 * others are unaffected. Slow sensors make the call slow. Does not allocate. Returns the number of
 * good readings, or -EINVAL for NULL or if n is too small. One thread at a time per object. Since
 * 0.1.
 */
int wattle_sensors_read(struct wattle_sensors *sensors,
                        struct wattle_reading *ret_readings,
                        size_t n,
                        struct wattle_error *err);

/*
 * Amount counted between an earlier and a later reading, in the unit of the quantity (joules for an
 * energy channel). One wrap in between is corrected; several cannot be detected, so read more often
 * than every modulus * scale / power seconds. A reset cannot be distinguished from a wrap either
 * (the recorder detects both). NaN when a reading failed or the channel is not a counter. Safe from
 * any thread. Since 0.1.
 */
double wattle_sensors_difference(const struct wattle_sensors *sensors,
                                 size_t channel,
                                 const struct wattle_reading *earlier,
                                 const struct wattle_reading *later);

/*
 * Wait until a counter changes, and read it at that moment. A RAPL-like counter shows the energy at
 * its last tick, up to 1 ms ago; read at the tick, the value belongs to that moment:
 *
 *     wattle_sensors_edge(s, i, 10000000, &a, &err);
 *     ...                                                // the code to be measured
 *     wattle_sensors_edge(s, i, 10000000, &b, &err);
 *     joules = wattle_sensors_difference(s, i, &a, &b);
 *
 * is exact between a.time_ns and b.time_ns except for the duration of a read. The wait keeps the
 * calling thread busy for up to one tick at each end. ret_reading->time_ns is the midpoint between
 * the last poll with the old value and the first with the new one.
 * Returns 0; -ETIMEDOUT when the counter did not change within timeout_ns; -EINVAL when the channel
 * is not a counter; or the negative errno of the read. Does not allocate. One thread at a time per
 * object. Since 0.1.
 */
int wattle_sensors_edge(struct wattle_sensors *sensors,
                        size_t channel,
                        uint64_t timeout_ns,
                        struct wattle_reading *ret_reading,
                        struct wattle_error *err);

#ifdef __cplusplus
}
#endif
#endif
