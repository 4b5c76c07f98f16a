/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of what a channel may show: the maximum power that its domain can draw, and whether the domain
 * always draws some. Readings outside these bounds are sensor faults, not measurements. */
#ifndef WTL_MODEL_BOUND_H
#define WTL_MODEL_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

/* The maximum power in watts that the channel can show: its own (max_w) or a value above every known part
 * of its domain. */
double wtl_greatest_power_w(const struct wattle_channel *channel);

/* The maximum power assumed for a time whose power was not seen: three times the greatest mean that was, but at least half of the
 * channel's own maximum and at most all of it. seen_w 0: none was; max_w 0: it states none. INFINITY: nothing bounds it. */
double wtl_assumed_power_w(double seen_w, double max_w);

/*
 * The bound derived from the thermal power or long-term limit that the hardware states for a domain: four
 * times that value, at least 250 W; 0 if none is stated. Large packages draw up to 3.5 times their thermal
 * power for seconds. Small ones are not bounded by a multiple of it: parts of 6 to 28 W draw 25 to 115 W for
 * seconds and more for milliseconds, as long as the battery or the supply can deliver it. A bound that is too
 * low turns true energy into gaps; one that is too high costs almost nothing: 32-bit counters still take more
 * than a minute to wrap.
 */
double wtl_bound_of_limit_w(double limit_w);

/* The part of the time that the channel sees, 0 to 1. A window average whose window is shorter than its period does not see the
 * rest, as some gauges of GPUs, nor does a counter of what one showed (wattled's coarse page); everything else sees all. */
double wtl_seen_part(const struct wattle_channel *channel);

/*
 * What a window average leaves open about the energy of `stretches` stretches, seconds long together, in which it showed
 * mean_w: the half width around mean_w * seconds of what is possible. Time that it did not see may have had any power up to
 * the channel's own maximum. In stretches shorter than its window, power may be anything that the windows around them leave. 0 for
 * other channels; INFINITY if there was unseen time and the channel states no maximum.
 */
double wtl_window_half_j(const struct wattle_channel *channel,
                         double mean_w,
                         double seconds,
                         uint64_t stretches);

/*
 * Half the range of the error of a gauge's mean between two readings that differ by `change`, in its unit. Between two instants the
 * power may have been that of either. The mean of a window says nothing of the time between the windows of two readings, and its readings
 * are up to a refresh old, each by another time.
 */
double wtl_window_off(const struct wattle_channel *channel, double apart_ns, double change);

/*
 * The part of the time between two readings, in ns, of which a window average shows nothing because it is read too rarely: beyond what
 * wtl_seen_part() says of one that is read at each of its updates. 0 for other channels, and where its window is not known.
 */
double wtl_window_missed_ns(const struct wattle_channel *channel, double apart_ns);

/*
 * What that leaves open, as a half width, in a time in which it showed mean_w and at most seen_w: any power that is assumed for what was not
 * seen. 0 for a small part of the time.
 */
double wtl_window_missed_j(const struct wattle_channel *channel,
                           double mean_w,
                           double seen_w,
                           double seconds,
                           double missed_s);

/*
 * What a window average leaves open at the two ends of a measurement in which it showed first_w, last_w and never less than
 * least_w, as a half width: a value at an end is the mean of a window that ended up to a refresh before it, so that power above the least one may have been
 * drawn on either side of the start, or have been shown in part only at the end. 0 for other channels.
 */
double wtl_window_ends_j(const struct wattle_channel *channel,
                         double first_w,
                         double last_w,
                         double least_w);

/* Whether the channel can have this reading. The power of a gauge or window average must be between 0 and
 * the maximum; readings of counters and of other quantities are not checked individually. */
bool wtl_is_plausible(const struct wattle_channel *channel, uint64_t raw);

/* Whether the domain always draws power. Cores and graphics may sleep at 0 W. */
bool wtl_domain_is_awake(enum wattle_domain domain);

/* The same of what the channel measures: by its domain, or because its driver says so (a GPU that cannot suspend itself). */
bool wtl_channel_is_awake(const struct wattle_channel *channel);

/* Whether the channel is an energy counter of something that always draws power, and not an estimate. If so, a standstill of
 * the counter is not one of the power. */
bool wtl_counts_always(const struct wattle_channel *channel);

/* A counter that always counts is standing still once it has shown no tick for more refreshes than this. */
enum { WTL_STAND_REFRESHES = 3 };
/* One that has shown no tick at all for more refreshes than this stopped before its first reading. */
enum { WTL_UNTICKED_REFRESHES = 20 };

/* Whether the channel is a counter that cannot have stood still this long without a fault; its energy of
 * that time may show later. Always false if its refresh is unknown. */
bool wtl_stands_still(const struct wattle_channel *channel, uint64_t still_ns);

/* Growth over a time in ns, in any unit of energy. */
struct wtl_growth {
    double ns, grown;
};

/*
 * Given two successive growths and a power of about `power` (unit per ns): did such a counter stand still in
 * the first for longer than it can, and catch up in the second? This is so if the first lacks at least a
 * quarter, and most of what it lacks is the excess of the second. seen: the counter was seen to stand in the
 * second; then less than a quarter is sufficient.
 */
bool wtl_caught_up(const struct wattle_channel *channel,
                   struct wtl_growth first,
                   struct wtl_growth second,
                   double power,
                   bool seen);

/* A growth larger than the adjacent power explains by this factor includes energy of another time. */
static const double WTL_LEAP = 1.5;

/*
 * Counters that tick no more slowly than the first limit are polled for ticks at the borders of a window, so
 * that the power outside it is known; slower ones would take too long. For these, except the slowest, the
 * tick next to a border is awaited: the energy at the border is between what they showed before it and what
 * they show from that tick on, and no more is certain.
 */
enum { WTL_POLLED_REFRESH_NS = 10 * 1000 * 1000, WTL_AWAITED_REFRESH_NS = 250 * 1000 * 1000 };
bool wtl_ticks_slowly(const struct wattle_channel *channel);

/* The minimum half width of a value that is only known to be between low and high: three of it cover both. */
double wtl_least_half(double value, double low, double high);

/*
 * For the end of a measurement, where nothing follows: whether a counter stopped before its first reading,
 * having shown the same value since then, for still_ns. Only if it always counts, and after several ticks
 * that it should have shown.
 */
bool wtl_never_ticked(const struct wattle_channel *channel, uint64_t still_ns);

#endif
