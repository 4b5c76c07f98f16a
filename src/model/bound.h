/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of what a channel may show: the greatest power that its domain can draw, and whether it draws
 * some all the time. Readings outside of them are faults of the sensor, not measurements. */
#ifndef WTL_MODEL_BOUND_H
#define WTL_MODEL_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

/* The greatest power in watts that the channel can have: its own (max_w) or one above every known part
 * of its domain. */
double wtl_greatest_power_w(const struct wattle_channel *channel);

/*
 * The bound that follows from the thermal power or long-term limit that the hardware states for a domain: four times as much,
 * at least 250 W; 0 when it states none. For seconds large packages draw up to 3.5 times their thermal power. Small ones are
 * not bound by a multiple of it: parts of 6 to 28 W draw 25 to 115 W for seconds and more for milliseconds, for as long
 * as the battery or the supply can give that. A bound that is too low makes gaps out of true energy; one that is too high
 * costs next to nothing: counters of 32 bits still do not go round in less than a minute.
 */
double wtl_bound_of_limit_w(double limit_w);

/* Can the channel have this reading? The power of a gauge or window average lies between 0 and the
 * greatest; the readings of counters, and of other quantities, are not judged one by one. */
bool wtl_is_plausible(const struct wattle_channel *channel, uint64_t raw);

/* Does the domain draw power all the time? Cores and graphics may sleep at 0 W. */
bool wtl_domain_is_awake(enum wattle_domain domain);

/* Is the channel a counter of the energy of such a domain, and not an estimate of it? Then a standstill is none of the power. */
bool wtl_counts_always(const struct wattle_channel *channel);

/* A counter that counts always and shows no tick for more refreshes than this stands still. */
enum { WTL_STAND_REFRESHES = 3 };
/* One that has shown no tick at all for more than this has stopped before its first reading. */
enum { WTL_UNTICKED_REFRESHES = 20 };

/* Is the channel a counter that cannot have stood still so long without a fault? Its energy of that time may show later.
 * No counter can whose refresh is not known. */
bool wtl_stands_still(const struct wattle_channel *channel, uint64_t still_ns);

/* Growth over a time in ns, in any unit of energy. */
struct wtl_growth {
    double ns, grown;
};

/*
 * Of two growths in succession, where the power is about `power` (unit per ns): did such a counter stand still in the first,
 * for longer than it can, and catch up in the second? What the first lacks, a quarter at least, is then for the most part
 * what the second has more. seen: it was seen to stand in the second; then less than a quarter will do.
 */
bool wtl_caught_up(const struct wattle_channel *channel,
                   struct wtl_growth first,
                   struct wtl_growth second,
                   double power,
                   bool seen);

/* Growth of so many times what the power beside it explains is of another time as well. */
static const double WTL_LEAP = 1.5;

/*
 * Counters that tick no more slowly than the first are polled for ticks at the borders of a window, so that the power outside of it is
 * known; nobody waits so long for slower ones. Of these the tick next to a border is awaited, but for the slowest: the energy
 * at the border lies between what they showed before and what they show from that tick on, and no more is certain.
 */
enum { WTL_POLLED_REFRESH_NS = 10 * 1000 * 1000, WTL_AWAITED_REFRESH_NS = 250 * 1000 * 1000 };
bool wtl_ticks_slowly(const struct wattle_channel *channel);

/* The least half width of a value of which only that it lies from low to high is certain: three of it reach over both. */
double wtl_least_half(double value, double low, double high);

/* At the end of a measurement, where nothing follows: has a counter stopped before its first reading that has shown the
 * same since then, for so long? Only where it counts always, and after some ticks that it should have shown. */
bool wtl_never_ticked(const struct wattle_channel *channel, uint64_t still_ns);

#endif
