/* SPDX-License-Identifier: BSD-3-Clause */
/* The time between a counter's updates, from its samples: see pace.h. */
#include "model/pace.h"

#include "base/whole.h"
#include "model/bound.h"

/* A value that is read again may be that of a counter that stood still once: more than two are needed. */
enum { LEAST_VALUES = 8, LEAST_REPEATED = 3, REPEATED_PART = 64, SLOWEST = 100 };

static unsigned octave_of(uint64_t ns)
{
    unsigned octave = 0;
    for (uint64_t us = ns / 1000; us > 1 && octave < WTL_PACE_OCTAVES - 1; us /= 2)
        octave++;
    return octave;
}

/* The present value ends with another one at this time. */
static void end_value(struct wtl_pace *pace, uint64_t time_ns)
{
    if (!pace->whole || time_ns <= pace->new_ns)
        return;
    unsigned octave = octave_of(time_ns - pace->new_ns);
    pace->count++;
    pace->repeated += pace->again;
    pace->octaves[octave].count++;
    pace->octaves[octave].sum_ns += (double)(time_ns - pace->new_ns);
}

void wtl_pace_add(struct wtl_pace *pace, uint64_t time_ns, uint64_t value)
{
    if (pace->seen && value == pace->value) {
        pace->again = true;
        return;
    }
    if (pace->seen)
        end_value(pace, time_ns);
    pace->whole = pace->seen;
    pace->seen = true;
    pace->again = false;
    pace->value = value;
    pace->new_ns = time_ns;
}

void wtl_pace_break(struct wtl_pace *pace)
{
    pace->seen = pace->whole = false;
}

static unsigned median_octave(const struct wtl_pace *pace)
{
    unsigned octave = 0;
    uint64_t sum = pace->octaves[0].count;
    while (2 * sum < pace->count && octave < WTL_PACE_OCTAVES - 1)
        sum += pace->octaves[++octave].count;
    return octave;
}

static bool is_repeated(const struct wtl_pace *pace, const struct wattle_channel *channel)
{
    if (pace->repeated < LEAST_REPEATED)
        return false;
    if (wtl_channel_is_awake(channel))
        return REPEATED_PART * pace->repeated >= pace->count;
    return 4 * pace->repeated >= 3 * pace->count;
}

/* The mean time between new values, of the octave of the median and those next to it. */
static uint64_t usual_ns(const struct wtl_pace *pace, uint64_t *ret_near)
{
    unsigned middle = median_octave(pace), first = middle > 0 ? middle - 1 : 0;
    double sum_ns = 0;
    *ret_near = 0;
    for (unsigned i = first; i <= middle + 1 && i < WTL_PACE_OCTAVES; i++) {
        *ret_near += pace->octaves[i].count;
        sum_ns += pace->octaves[i].sum_ns;
    }
    return *ret_near > 0 ? wtl_whole_u64(sum_ns / (double)*ret_near) : 0;
}

uint64_t wtl_pace_refresh_ns(const struct wtl_pace *pace, const struct wattle_channel *channel)
{
    if (channel->kind != WATTLE_COUNTER || channel->quantity != WATTLE_ENERGY ||
        pace->count < LEAST_VALUES || !is_repeated(pace, channel))
        return channel->refresh_ns;
    uint64_t near, refresh_ns = usual_ns(pace, &near);
    bool slower = 2 * refresh_ns > 3 * channel->refresh_ns;
    return slower && 4 * near >= 3 * pace->count ? refresh_ns : channel->refresh_ns;
}

void wtl_polled_add(struct wtl_polled *polled, uint64_t time_ns, uint64_t value)
{
    bool same = polled->seen && value == polled->value;
    uint64_t stood_ns = polled->last_ns - polled->first_ns, late_ns = time_ns - polled->last_ns;
    if (same) {
        stood_ns += late_ns;
        polled->stood_ns = stood_ns > polled->stood_ns ? stood_ns : polled->stood_ns;
    } else {
        /* Both its updates came between two polls that were close together. */
        bool whole = polled->begun && 2 * polled->late_ns <= stood_ns && 2 * late_ns <= stood_ns;
        if (whole && stood_ns + late_ns > polled->whole_ns)
            polled->whole_ns = stood_ns + late_ns;
        polled->begun = polled->seen;
        polled->late_ns = late_ns;
        polled->first_ns = time_ns;
        polled->value = value;
    }
    polled->seen = true;
    polled->last_ns = time_ns;
}

uint64_t wtl_pace_polled_refresh_ns(const struct wtl_pace *pace,
                                    const struct wtl_polled *polled,
                                    const struct wattle_channel *channel)
{
    uint64_t near, refresh_ns = wtl_pace_refresh_ns(pace, channel);
    if (refresh_ns != channel->refresh_ns || !wtl_stands_still(channel, polled->stood_ns))
        return refresh_ns;
    if (polled->whole_ns >= polled->stood_ns)
        return polled->whole_ns;
    uint64_t most_ns = usual_ns(pace, &near);
    if (most_ns / SLOWEST > channel->refresh_ns)
        most_ns = SLOWEST * channel->refresh_ns;
    return most_ns > polled->stood_ns ? most_ns : polled->stood_ns;
}

bool wtl_pace_is_open(const struct wtl_pace *pace)
{
    return pace->count < LEAST_VALUES && (pace->repeated > 0 || pace->again);
}
