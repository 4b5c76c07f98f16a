/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sensors of this machine: find them, read them now and then. For a continuous recording use
 * <wattle/recorder.h>.
 *
 *     struct wattle_sensors *s;
 *     if (wattle_sensors_open(NULL, &s, &err) < 0)
 *         ... err.text says why ...
 *     for (size_t i = 0; i < wattle_sensors_channel_count(s); i++)
 *         puts(wattle_sensors_channel(s, i)->name);
 *     wattle_sensors_close(s);
 *
 * A counter's raw value wraps at its channel's modulus (a package's after some minutes): subtract
 * readings with wattle_sensors_difference().
 *
 * Thread rule: one thread at a time per object, unless a call says otherwise. A child of fork may go
 * on with what its parent opened, as may the parent.
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

/* One reading of one channel. It stands in arrays, so it stays as it is for good. */
struct wattle_reading {
    uint64_t raw;     /* ticks; value = raw * channel scale (gauges: two's complement) */
    uint64_t time_ns; /* CLOCK_MONOTONIC, midpoint of the clock before and after the read */
    int status;       /* 0, or the negative errno why this channel has no value now */
};

/*
 * Open the sensors named in `which`: NAME[:KEY=VALUE]... separated by commas without spaces
 * ("powercap,hwmon"), as "wattle sensors" lists them and as wattle-sensors(7) tells their settings.
 * All channels of a sensor that is named are there; "all" names every one. NULL: what is there,
 * each domain through the best of its sensors, the estimate only when nothing measures. *ret_sensors is the caller's, freed by
 * wattle_sensors_close(). Returns 0; -ENODEV when there is none; -EACCES when there are but none may
 * be read; -EINVAL for an unknown name; -ENOMEM. Safe from any thread. Since 0.1.
 */
int wattle_sensors_open(const char *which,
                        struct wattle_sensors **ret_sensors,
                        struct wattle_error *err);

/* Close and free. Accepts NULL. Since 0.1. */
void wattle_sensors_close(struct wattle_sensors *sensors);

/* Number of channels; 0 of NULL. It does not change. Since 0.1. */
size_t wattle_sensors_channel_count(const struct wattle_sensors *sensors);

/* Channel number `channel`, borrowed until close; NULL when out of range. Since 0.1. */
const struct wattle_channel *wattle_sensors_channel(const struct wattle_sensors *sensors,
                                                    size_t channel);

/*
 * Read all channels once into ret_readings[0 .. n-1], number i from channel i; n is at least
 * wattle_sensors_channel_count(). A channel that failed has its reason in status, no value, and
 * spoils no other. Slow sensors make the call slow. Does not allocate. Returns the number of good
 * readings, or -EINVAL for NULL or too small an n. One thread at a time per object. Since 0.1.
 */
int wattle_sensors_read(struct wattle_sensors *sensors,
                        struct wattle_reading *ret_readings,
                        size_t n,
                        struct wattle_error *err);

/*
 * What a counter counted from one reading to a later one, in the unit of its quantity (joules of an
 * energy channel). One wrap between them is taken into account; more than one cannot be seen, so
 * read more often than every modulus * scale / power seconds; nor can a reset be told from a wrap
 * (the recorder tells both). NaN when a reading has failed or the channel is no counter. Safe from
 * any thread. Since 0.1.
 */
double wattle_sensors_difference(const struct wattle_sensors *sensors,
                                 size_t channel,
                                 const struct wattle_reading *earlier,
                                 const struct wattle_reading *later);

/*
 * Wait until a counter moves, and read it there. A RAPL-like counter shows the energy at its last
 * tick, up to 1 ms ago; read at the tick, the value belongs to that moment:
 *
 *     wattle_sensors_edge(s, i, 10000000, &a, &err);
 *     ...                                                // what is to be measured
 *     wattle_sensors_edge(s, i, 10000000, &b, &err);
 *     joules = wattle_sensors_difference(s, i, &a, &b);
 *
 * is exact between a.time_ns and b.time_ns but for the time of a read. The wait keeps the calling
 * thread busy for up to one tick at each end. ret_reading->time_ns is the middle between the last
 * poll with the old value and the first with the new one.
 * Returns 0; -ETIMEDOUT when the counter stood still for timeout_ns; -EINVAL when the channel is no
 * counter; or the negative errno of the read. Does not allocate. One thread at a time per object.
 * Since 0.1.
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
