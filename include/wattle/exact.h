/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact regions: the energy of a section of a program, more precisely than the update period of the
 * counters allows. Counters tick about once a millisecond, so the energy of a short region is known
 * to one tick at best. Here, begin and end wait until each counter has ticked three times; the
 * power measured around a border then divides the tick that contains the border:
 *
 *     struct wattle_exact *exact;
 *     struct wattle_summary energy = {.size = sizeof energy};
 *     if (wattle_exact_open(NULL, &exact, &err) < 0)
 *         ... err.text says why ...
 *     wattle_exact_begin(exact, "solve", &err);     // waits 2 to 4 ms, then the region begins
 *     solve();
 *     wattle_exact_end(exact, &err);                // the region ends at the call, then it waits
 *     wattle_exact_total(exact, &energy, NULL, NULL, &err);
 *     printf("%g J +- %g\n", energy.energy_j, energy.resolution_interval_j);
 *     wattle_exact_close(exact);
 *
 * The waits keep the calling thread busy and are not part of the region. The power must be steady
 * for these milliseconds just before and after the region; if it is not, the interval is wider.
 * Regions of <wattle/region.h> cost tens of nanoseconds and need no privileges; use exact regions
 * for code that is short, important and may be delayed. The program itself needs permission to read
 * the counters (usually root).
 *
 * While regions are being recorded, the section is added to the trace as a region of the given name
 * and the waits as regions "wattle exact wait"; wattle's own events after its end hold the energy
 * found here.
 *
 * Thread rule: begin, end and close from one thread at a time, end from the thread that called
 * begin; the others from any thread between open and close. In a child of fork each call returns
 * -EINVAL, and close does nothing. Not in signal handlers.
 */
#ifndef WATTLE_EXACT_H
#define WATTLE_EXACT_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>
#include <wattle/summary.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wattle_exact;

/*
 * Open the sensors; `which` is as for wattle_sensors_open(). The caller owns *ret_exact and frees
 * it with wattle_exact_close(). Returns 0; -ENODEV when nothing can be measured; -EACCES when the
 * sensors may not be read; -ENOTSUP when no counter has ticks to wait for (all are slow or
 * estimates): use <wattle/recorder.h>; -EINVAL for an unknown name; -ENOMEM. Since 0.1.
 */
int wattle_exact_open(const char *which, struct wattle_exact **ret_exact, struct wattle_error *err);

/* End the open region, if any, and free. Accepts NULL. Since 0.1. */
void wattle_exact_close(struct wattle_exact *exact);

/* Number of channels; 0 for NULL. Never changes. Since 0.1. */
size_t wattle_exact_channel_count(const struct wattle_exact *exact);

/* Channel number `channel`, borrowed until close; NULL when out of range. Since 0.1. */
const struct wattle_channel *wattle_exact_channel(const struct wattle_exact *exact, size_t channel);

/*
 * Wait for the ticks. The region begins when begin returns and ends when end is called, which then
 * waits. One region at a time per object; the name follows the rules of wattle_region_id(). Returns
 * 0; -EBUSY from begin when a region is open, -EINVAL from end when none is; -EINVAL for NULL or an
 * invalid name; -ENOMEM or -EAGAIN when a thread cannot be created: then no region has begun. Since
 * 0.1.
 */
int wattle_exact_begin(struct wattle_exact *exact, const char *name, struct wattle_error *err);
int wattle_exact_end(struct wattle_exact *exact, struct wattle_error *err);

/*
 * Energy of a channel in the last region that ended: energy_j, and half the width of its interval
 * in resolution_interval_j. Channels whose ticks cannot be waited for get the wider interval of
 * ordinary readings. Returns 0; -EINVAL for a channel out of range, a size that is not set, or
 * before the first region has ended; -ENOTSUP for the size of a newer libwattle. Since 0.1.
 */
int wattle_exact_summary(const struct wattle_exact *exact,
                         size_t channel,
                         struct wattle_summary *ret_summary,
                         struct wattle_error *err);

/* The same for the sum over the channels with WATTLE_CHANNEL_IN_TOTAL; see
 * wattle_recorder_total(). Since 0.1. */
int wattle_exact_total(const struct wattle_exact *exact,
                       struct wattle_summary *ret_summary,
                       const char **ret_contains,
                       const char **ret_excludes,
                       struct wattle_error *err);

/* How long begin and end of the last completed region waited outside it; 0 0 before the first.
 * Either pointer may be NULL. Since 0.1. */
void wattle_exact_waited(const struct wattle_exact *exact,
                         uint64_t *ret_before_ns,
                         uint64_t *ret_after_ns);

#ifdef __cplusplus
}
#endif
#endif
