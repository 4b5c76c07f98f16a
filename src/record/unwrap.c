/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwrapping of counters: see unwrap.h. */
#include "record/unwrap.h"

#include "model/bound.h"

void wtl_unwrap_init(struct wtl_unwrap *unwrap, const struct wattle_channel *channel)
{
    *unwrap = (struct wtl_unwrap){.modulus = channel->modulus};
    unwrap->slack_ns = channel->refresh_ns ? 2.0 * (double)channel->refresh_ns : 2e9;
    if (channel->quantity == WATTLE_ENERGY)
        unwrap->ticks_per_ns_max = wtl_greatest_power_w(channel) / channel->scale * 1e-9;
}

enum wtl_unwrapped wtl_unwrap_feed(struct wtl_unwrap *unwrap,
                                   uint64_t raw,
                                   uint64_t time_ns,
                                   uint64_t *ret_ticks)
{
    enum wtl_unwrapped verdict = WTL_UNWRAP_OK;
    uint64_t delta = raw - unwrap->last_raw;
    if (raw < unwrap->last_raw && unwrap->modulus)
        delta += unwrap->modulus;

    if (!unwrap->started) {
        verdict = WTL_UNWRAP_FIRST;
    } else if (unwrap->ticks_per_ns_max > 0) {
        double pause_ns = (double)(time_ns - unwrap->last_ns);
        /* What is shown may lag by the refresh, and comes in whole ticks. */
        double possible = (pause_ns + unwrap->slack_ns) * unwrap->ticks_per_ns_max + 2;
        if (unwrap->modulus && pause_ns * unwrap->ticks_per_ns_max >= (double)unwrap->modulus)
            verdict = WTL_UNWRAP_LOST_WRAP;
        else if ((double)delta > possible)
            verdict = WTL_UNWRAP_RESET;
    } else if (raw < unwrap->last_raw && !unwrap->modulus) {
        verdict = WTL_UNWRAP_RESET; /* a 64 bit count of anything else does not wrap */
    }

    if (verdict == WTL_UNWRAP_OK)
        unwrap->ticks += delta;
    unwrap->started = true;
    unwrap->last_raw = raw;
    unwrap->last_ns = time_ns;
    *ret_ticks = unwrap->ticks;
    return verdict;
}
