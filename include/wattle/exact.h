/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact regions: the energy of a stretch of the program, better than its ticks. Counters tick about once a millisecond, so a
 * short region's energy is known to a tick's at best. Here both borders wait until each counter has ticked three times, and the power
 * around the border divides the tick in which it lies:
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
 * The waits keep the calling thread busy, and lie outside of the region. What matters is that the power just before and
 * behind it is steady for these milliseconds; where it is not, the interval says so. Regions of <wattle/region.h> cost tens of
 * nanoseconds and need no rights: use these for what is short, matters, and may be held up. The program itself must be allowed to
 * read the counters (root, mostly).
 *
 * While regions are recorded, the stretch goes into the trace as a region of its name, the waits as regions "wattle exact wait";
 * events of wattle's own behind its end hold the energy found here.
 *
 * Thread rule: begin, end and close from one thread at a time, end from the thread that began; the others from any thread in between. In a
 * child of fork each call returns -EINVAL, and close does nothing. Not in signal handlers.
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
 * Open the sensors, as wattle_sensors_open() has them in `which`. *ret_exact is the caller's, freed by wattle_exact_close().
 * Returns 0; -ENODEV when nothing can be measured; -EACCES when it may not be read; -ENOTSUP when no counter here has ticks that can be
 * waited for (it is slow, or an estimate): use <wattle/recorder.h>; -EINVAL for an unknown name; -ENOMEM. Since 0.1.
 */
int wattle_exact_open(const char *which, struct wattle_exact **ret_exact, struct wattle_error *err);

/* Ends what is open, and frees. Accepts NULL. Since 0.1. */
void wattle_exact_close(struct wattle_exact *exact);

/* Number of channels; 0 of NULL. It does not change. Since 0.1. */
size_t wattle_exact_channel_count(const struct wattle_exact *exact);

/* Channel number `channel`, borrowed until close; NULL when out of range. Since 0.1. */
const struct wattle_channel *wattle_exact_channel(const struct wattle_exact *exact, size_t channel);

/*
 * Wait for the ticks; the region begins as begin returns, and ends as end is called, which then waits. One at a time for an
 * object; the name is as for wattle_region_id(). Return 0; -EBUSY when one is open, or end -EINVAL when none is; -EINVAL for
 * NULL or a name that cannot be; -ENOMEM, -EAGAIN when no thread can be made: then no region has begun. Since 0.1.
 */
int wattle_exact_begin(struct wattle_exact *exact, const char *name, struct wattle_error *err);
int wattle_exact_end(struct wattle_exact *exact, struct wattle_error *err);

/*
 * What a channel used in the last region that ended: energy_j with its half width in resolution_interval_j. Channels whose
 * ticks cannot be waited for have the wide interval of their readings. Returns 0; -EINVAL for no such channel, a size not
 * set, or while none has ended; -ENOTSUP for a size of a newer libwattle. Since 0.1.
 */
int wattle_exact_summary(const struct wattle_exact *exact,
                         size_t channel,
                         struct wattle_summary *ret_summary,
                         struct wattle_error *err);

/* The same of the sum over the channels with WATTLE_CHANNEL_IN_TOTAL, as wattle_recorder_total() has it. Since 0.1. */
int wattle_exact_total(const struct wattle_exact *exact,
                       struct wattle_summary *ret_summary,
                       const char **ret_contains,
                       const char **ret_excludes,
                       struct wattle_error *err);

/* How long begin and end of the last region that ended took beside it; 0 0 before. Either may be NULL. Since 0.1. */
void wattle_exact_waited(const struct wattle_exact *exact,
                         uint64_t *ret_before_ns,
                         uint64_t *ret_after_ns);

#ifdef __cplusplus
}
#endif
#endif
