/* SPDX-License-Identifier: BSD-3-Clause */
/* Channel names and values: see reading.h. */
#include "model/reading.h"

#include <math.h>
#include <stdio.h>

#define FLAGS_OF_VALUES 0xffff0000u /* each changes the meaning of values */

bool wtl_channel_is_understood(const struct wattle_channel *channel)
{
    return (unsigned)channel->kind < WATTLE_KIND_COUNT && !(channel->flags & FLAGS_OF_VALUES);
}

double wtl_channel_value(const struct wattle_channel *channel, uint64_t raw)
{
    if (!wtl_channel_is_understood(channel))
        return NAN;
    if (channel->kind == WATTLE_COUNTER)
        return (double)raw * channel->scale;
    return (double)(int64_t)raw * channel->scale;
}

uint64_t wtl_channel_stretch_ns(const struct wattle_channel *channel)
{
    static const uint64_t TICKS = 128, LEAST_TICKS = 20, LONG_NS = 250000000;
    uint64_t refresh_ns = channel->refresh_ns;
    if (refresh_ns == 0 || refresh_ns > UINT64_MAX / TICKS)
        return 0;
    if (TICKS * refresh_ns <= LONG_NS)
        return TICKS * refresh_ns;
    return LEAST_TICKS * refresh_ns > LONG_NS ? LEAST_TICKS * refresh_ns : LONG_NS;
}

void wtl_channel_set_name(struct wattle_channel *channel, const char *word)
{
    const char *domain = word ? word : wattle_domain_name(channel->domain);
    if (channel->sub < 0)
        (void)snprintf(channel->name, sizeof channel->name, "%s:%s-%d", channel->sensor, domain,
                       channel->index);
    else
        (void)snprintf(channel->name, sizeof channel->name, "%s:%s-%d-%d", channel->sensor, domain,
                       channel->index, channel->sub);
}

bool wtl_channel_is_energy(const struct wattle_channel *channel)
{
    return (channel->quantity == WATTLE_ENERGY || channel->quantity == WATTLE_POWER) &&
           wtl_channel_is_understood(channel);
}
