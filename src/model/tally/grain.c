/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tally/grain.h"

#include <math.h>
#include <string.h>

double wtl_grain_ticks(const struct wattle_channel *channel)
{
    if (channel->quantity != WATTLE_ENERGY || channel->kind != WATTLE_COUNTER ||
        (strcmp(channel->sensor, "powercap") != 0 && strcmp(channel->sensor, "perf") != 0))
        return 1;
    return fmax(1, 0x1p-14 / channel->scale);
}

double wtl_grain_amount(const struct wattle_channel *channel)
{
    return wtl_grain_ticks(channel) * channel->scale;
}

double wtl_grain_variance(const struct wattle_channel *channel)
{
    double ticks = wtl_grain_ticks(channel);
    return ticks * ticks / 12;
}
