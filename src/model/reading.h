/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived from a channel alone: its name, the value of a raw reading. */
#ifndef WTL_MODEL_READING_H
#define WTL_MODEL_READING_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/sensors.h>

/* Whether its values can be interpreted. False if a trace of a newer version has a kind or one of the
 * flags 16 to 31 that are unknown here: then the channel is shown, and nothing is computed from it. */
bool wtl_channel_is_understood(const struct wattle_channel *channel);

/* Value of a raw reading in the channel's unit. Counters: ticks since any origin. NaN when it cannot be
 * interpreted. */
double wtl_channel_value(const struct wattle_channel *channel, uint64_t raw);

/*
 * The shortest time over which the power of a counter reflects the hardware and not its ticks: two readings
 * see n or n + 1 of them. With 128 ticks that is 0.8 %; if these take more than 250 ms, use 250 ms, but at
 * least 20 ticks. 0 = its refresh is unknown.
 */
uint64_t wtl_channel_stretch_ns(const struct wattle_channel *channel);

/* How old what a sample shows is on average: a counter shows the energy of its last tick. */
static inline uint64_t wtl_channel_lag_ns(const struct wattle_channel *channel)
{
    return channel->kind == WATTLE_COUNTER ? channel->refresh_ns / 2 : 0;
}

/* Compose "sensor:domain-index[-sub]" into channel->name from its other fields; `word` replaces the domain
 * unless NULL. */
void wtl_channel_set_name(struct wattle_channel *channel, const char *word);

/* Energy or power, and understood: these channels are listed in results; others are activity. */
bool wtl_channel_is_energy(const struct wattle_channel *channel);

#endif
