/* SPDX-License-Identifier: BSD-3-Clause */
/* Maximum powers by domain: see bound.h. */
#include "model/bound.h"

#include <math.h>

#include "model/reading.h"

/* See wtl_bound_of_limit_w(). */
static const double HEADROOM = 4, LEAST_BOUND_W = 250;
static const double SEES_ALL = 0.99; /* what is missing is within the error of a calibration */
static const double PEAK = 3;        /* of power, relative to the greatest mean that was seen */

double wtl_bound_of_limit_w(double limit_w)
{
    return limit_w > 0 ? fmax(HEADROOM * limit_w, LEAST_BOUND_W) : 0;
}

double wtl_greatest_power_w(const struct wattle_channel *channel)
{
    if (channel->max_w > 0)
        return channel->max_w;
    /* Well above the largest part sold (2026): only impossible values must fall outside. */
    switch (channel->domain) {
    case WATTLE_DOMAIN_PACKAGE:
    case WATTLE_DOMAIN_CORE:
    case WATTLE_DOMAIN_GPU:
        return 3000;
    case WATTLE_DOMAIN_UNCORE:
    case WATTLE_DOMAIN_DRAM:
    case WATTLE_DOMAIN_DISK:
        return 1000;
    default:
        return 30000;
    }
}

double wtl_assumed_power_w(double seen_w, double max_w)
{
    double power_w = seen_w > 0 ? PEAK * seen_w : (double)INFINITY;
    return max_w > 0 ? fmin(fmax(power_w, max_w / 2), max_w) : power_w;
}

double wtl_seen_part(const struct wattle_channel *channel)
{
    if (channel->kind == WATTLE_GAUGE || channel->window_ns == 0 || channel->refresh_ns == 0)
        return 1;
    double part = (double)channel->window_ns / (double)channel->refresh_ns;
    return part < SEES_ALL ? part : 1;
}

double wtl_window_half_j(const struct wattle_channel *channel,
                         double mean_w,
                         double seconds,
                         uint64_t stretches)
{
    double window_s = (double)channel->window_ns * 1e-9, part = wtl_seen_part(channel);
    double windows_s = window_s * (double)(stretches > 0 ? stretches : 1);
    double most_w = channel->max_w > 0 ? channel->max_w : INFINITY, half = 0;
    if (!(seconds > 0) || !(mean_w >= 0))
        return 0;
    if (part < 1)
        half = (1 - part) * seconds * fmax(mean_w, most_w - mean_w);
    if (channel->kind == WATTLE_WINDOW_AVERAGE && seconds < windows_s) {
        double high = fmin(most_w * seconds, mean_w * windows_s);
        half = fmax(half, fmax(mean_w * seconds, high - mean_w * seconds));
    }
    return half;
}

double wtl_window_off(const struct wattle_channel *channel, double apart_ns, double change)
{
    if (channel->kind != WATTLE_WINDOW_AVERAGE)
        return change / 2;
    double unseen_ns = fmax(apart_ns - (double)channel->window_ns, 0);
    double old_ns = fmin((double)channel->refresh_ns, apart_ns) / 2;
    return change * fmin((unseen_ns + old_ns) / apart_ns, 1);
}

double wtl_window_missed_ns(const struct wattle_channel *channel, double apart_ns)
{
    if (channel->kind != WATTLE_WINDOW_AVERAGE || channel->window_ns == 0)
        return 0;
    return fmax(wtl_seen_part(channel) * apart_ns - (double)channel->window_ns, 0);
}

double wtl_window_missed_j(const struct wattle_channel *channel,
                           double mean_w,
                           double seen_w,
                           double seconds,
                           double missed_s)
{
    if (!(missed_s > (1 - SEES_ALL) * seconds))
        return 0;
    return missed_s * fmax(mean_w, wtl_assumed_power_w(seen_w, channel->max_w) - mean_w);
}

double wtl_window_ends_j(const struct wattle_channel *channel,
                         double first_w,
                         double last_w,
                         double least_w)
{
    if (channel->kind != WATTLE_WINDOW_AVERAGE)
        return 0;
    double age_s = (double)(channel->window_ns + channel->refresh_ns) * 1e-9;
    return age_s * hypot(first_w - least_w, last_w - least_w);
}

bool wtl_is_plausible(const struct wattle_channel *channel, uint64_t raw)
{
    if (channel->kind == WATTLE_COUNTER || channel->quantity != WATTLE_POWER ||
        !wtl_channel_is_understood(channel))
        return true;
    double power_w = wtl_channel_value(channel, raw);
    return power_w >= 0 && power_w <= wtl_greatest_power_w(channel);
}

bool wtl_domain_is_awake(enum wattle_domain domain)
{
    return domain == WATTLE_DOMAIN_PACKAGE || domain == WATTLE_DOMAIN_DRAM ||
           domain == WATTLE_DOMAIN_PSYS || domain == WATTLE_DOMAIN_NODE;
}

bool wtl_channel_is_awake(const struct wattle_channel *channel)
{
    return channel->flags & WATTLE_CHANNEL_AWAKE || wtl_domain_is_awake(channel->domain);
}

bool wtl_counts_always(const struct wattle_channel *channel)
{
    return channel->kind == WATTLE_COUNTER && channel->quantity == WATTLE_ENERGY &&
           channel->quality != WATTLE_ESTIMATED && wtl_channel_is_awake(channel);
}

bool wtl_stands_still(const struct wattle_channel *channel, uint64_t still_ns)
{
    return wtl_counts_always(channel) && channel->refresh_ns > 0 &&
           still_ns > WTL_STAND_REFRESHES * channel->refresh_ns;
}

bool wtl_caught_up(const struct wattle_channel *channel,
                   struct wtl_growth first,
                   struct wtl_growth second,
                   double power,
                   bool seen)
{
    double lack = power * first.ns - first.grown, more = second.grown - power * second.ns;
    bool short_of = lack > (seen ? 0 : 0.25) * power * first.ns;
    return power > 0 && short_of && more >= lack / 2 &&
           wtl_stands_still(channel, (uint64_t)(lack / power));
}

bool wtl_ticks_slowly(const struct wattle_channel *channel)
{
    return channel->kind == WATTLE_COUNTER && channel->quantity == WATTLE_ENERGY &&
           channel->refresh_ns > WTL_POLLED_REFRESH_NS;
}

double wtl_least_half(double value, double low, double high)
{
    return fmax(fmax(value - low, high - value), 0) / 3;
}

bool wtl_never_ticked(const struct wattle_channel *channel, uint64_t still_ns)
{
    return wtl_counts_always(channel) && channel->refresh_ns > 0 &&
           still_ns > WTL_UNTICKED_REFRESHES * channel->refresh_ns;
}
