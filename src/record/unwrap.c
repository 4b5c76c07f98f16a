/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwrapping of counters: see unwrap.h. */
#include "record/unwrap.h"

#include <math.h>

#include "model/bound.h"

void wtl_unwrap_init(struct wtl_unwrap *unwrap, const struct wattle_channel *channel)
{
    *unwrap = (struct wtl_unwrap){.modulus = channel->modulus};
    unwrap->slack_ns = channel->refresh_ns ? 2.0 * (double)channel->refresh_ns : 2e9;
    if (channel->quantity == WATTLE_ENERGY)
        unwrap->ticks_per_ns_max = wtl_greatest_power_w(channel) / channel->scale * 1e-9;
}

/* A wrap must not require more than this many times the highest rate so far, taken over that many
 * refreshes. */
static const double SURGE = 2.5;
static const double PACE_REFRESHES = 10;

/* Measured from one reading that shows a new value to another: while polling, a tick is a large
 * part of the time between. */
static void take_pace(struct wtl_unwrap *unwrap, uint64_t time_ns)
{
    double dt = (double)(time_ns - unwrap->paced_ns);
    double pace = dt > 0 ? (double)(unwrap->ticks - unwrap->paced_ticks) / dt : 0;
    bool enough = dt >= PACE_REFRESHES / 2 * unwrap->slack_ns;
    bool moves = !unwrap->paced_at_tick && dt < unwrap->slack_ns;
    if (!moves && (enough || unwrap->fastest == 0))
        unwrap->latest = pace;
    if (!enough && !moves)
        return;
    if (enough)
        unwrap->fastest = fmax(unwrap->fastest, pace);
    unwrap->paced_at_tick = true;
    unwrap->paced_ns = time_ns;
    unwrap->paced_ticks = unwrap->ticks;
}

void wtl_unwrap_skip(struct wtl_unwrap *unwrap, uint64_t raw, uint64_t time_ns)
{
    unwrap->started = true;
    unwrap->last_raw = raw;
    unwrap->last_ns = unwrap->paced_ns = time_ns;
    unwrap->paced_ticks = unwrap->ticks;
    unwrap->paced_at_tick = false;
}

/* The highest rate in ticks per ns, even if observed only briefly. */
static double pace(const struct wtl_unwrap *unwrap)
{
    double dt = (double)(unwrap->last_ns - unwrap->paced_ns);
    if (unwrap->fastest > 0 || dt < unwrap->slack_ns)
        return unwrap->fastest;
    return (double)(unwrap->ticks - unwrap->paced_ticks) / dt;
}

/* Judge a counter whose maximum power is known. */
static enum wtl_unwrapped judge(const struct wtl_unwrap *unwrap,
                                double delta,
                                double pause_ns,
                                bool wrapped)
{
    /* The value may lag by the refresh, and changes in whole ticks. */
    double time_ns = pause_ns + unwrap->slack_ns + (wrapped ? 0 : unwrap->late_ns);
    double lag_ns = fmin(pause_ns, unwrap->slack_ns);
    double modulus = unwrap->modulus ? (double)unwrap->modulus : 0x1p64;
    if ((pause_ns + lag_ns) * unwrap->ticks_per_ns_max >= modulus)
        return WTL_UNWRAP_LOST_WRAP;
    if (delta > time_ns * unwrap->ticks_per_ns_max + 2)
        return WTL_UNWRAP_RESET;
    if (wrapped && delta > time_ns * SURGE * pace(unwrap) + 2)
        return WTL_UNWRAP_RESET;
    return WTL_UNWRAP_OK;
}

enum wtl_unwrapped wtl_unwrap_feed(struct wtl_unwrap *unwrap,
                                   uint64_t raw,
                                   uint64_t time_ns,
                                   uint64_t *ret_ticks)
{
    enum wtl_unwrapped verdict = WTL_UNWRAP_OK;
    bool fell = raw < unwrap->last_raw;
    uint64_t delta = raw - unwrap->last_raw;
    if (fell && unwrap->modulus)
        delta += unwrap->modulus;

    if (!unwrap->started)
        verdict = WTL_UNWRAP_FIRST;
    else if (unwrap->ticks_per_ns_max > 0)
        verdict = judge(unwrap, (double)delta, (double)(time_ns - unwrap->last_ns), fell);
    else if (fell && !unwrap->modulus)
        verdict = WTL_UNWRAP_RESET; /* a 64-bit count of anything else does not wrap */

    if (verdict == WTL_UNWRAP_OK) {
        unwrap->ticks += delta;
        unwrap->last_raw = raw;
        unwrap->last_ns = time_ns;
        if (delta > 0)
            take_pace(unwrap, time_ns);
    } else {
        wtl_unwrap_skip(unwrap, raw, time_ns);
    }
    *ret_ticks = unwrap->ticks;
    return verdict;
}
