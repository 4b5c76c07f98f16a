/* SPDX-License-Identifier: BSD-3-Clause */
/* The public summary: see public_summary.h and, for the rules of sums, result.c, which computes the same
 * sums for tables. */
#include "model/public_summary.h"

#include <math.h>

#include "model/energy.h"
#include "model/reading.h"

const struct wtl_sized wtl_public_summary_sized = {
    "struct wattle_summary", sizeof(struct wattle_summary),
    offsetof(struct wattle_summary, unknown_ns) + sizeof(uint64_t)};

struct wattle_summary wtl_public_summary(const struct wattle_channel *channel,
                                         const struct wtl_summary *summary,
                                         uint64_t window_ns)
{
    struct wattle_summary s = {.size = sizeof s,
                               .energy_j = NAN,
                               .resolution_interval_j = NAN,
                               .low_j = NAN,
                               .high_j = NAN,
                               .mean = summary->mean_w,
                               .min = summary->min_w,
                               .max = summary->max_w,
                               .latest = summary->last_w,
                               .window_ns = window_ns,
                               .stat_window_ns = summary->stat_window_ns,
                               .samples = summary->samples,
                               .gaps = summary->gaps,
                               .gap_ns = summary->gap_ns,
                               .unknown_ns = summary->unknown_ns};
    if (window_ns == 0) { /* not started, or ended immediately: nothing is known yet */
        s.mean = s.min = s.max = s.latest = NAN;
        return s;
    }
    if (!wtl_channel_is_energy(channel))
        return s; /* its integral is not an energy */
    s.energy_j = summary->amount;
    s.resolution_interval_j = summary->amount_half;
    s.low_j = wtl_not_below_0(s.energy_j - s.resolution_interval_j);
    s.high_j = s.energy_j + s.resolution_interval_j;
    if (channel->quality == WATTLE_ESTIMATED) {
        s.low_j *= channel->ratio_high > 0 ? channel->ratio_low : (double)NAN;
        s.high_j *= channel->ratio_high > 0 ? channel->ratio_high : (double)NAN;
    }
    return s;
}

void wtl_public_summary_add(struct wattle_summary *total,
                            const struct wattle_channel *channel,
                            const struct wattle_summary *summary)
{
    if (total->size == 0) {
        *total = *summary;
        total->stat_window_ns = 0;
        total->min = total->max = NAN; /* the channels have their extremes at different times */
        return;
    }
    total->energy_j += summary->energy_j;
    total->resolution_interval_j =
        hypot(total->resolution_interval_j, summary->resolution_interval_j);
    if (channel->quality == WATTLE_ESTIMATED) {
        total->low_j += summary->low_j;
        total->high_j += summary->high_j;
    } else {
        total->low_j = wtl_not_below_0(total->energy_j - total->resolution_interval_j);
        total->high_j = total->energy_j + total->resolution_interval_j;
    }
    total->mean += summary->mean;
    total->latest += summary->latest;
    if (summary->window_ns < total->window_ns)
        total->window_ns = summary->window_ns;
    if (summary->samples < total->samples)
        total->samples = summary->samples;
    total->gaps += summary->gaps;
    if (summary->gap_ns > total->gap_ns) /* as in tables: never more than the window */
        total->gap_ns = summary->gap_ns;
    if (summary->unknown_ns > total->unknown_ns)
        total->unknown_ns = summary->unknown_ns;
}
