/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from a channel alone: its name, its value for a raw reading. */
#ifndef WTL_MODEL_READING_H
#define WTL_MODEL_READING_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/sensors.h>

/* Are its values to be interpreted? Not where a trace of a newer version gives it a kind or one of the
 * flags 16 to 31 that are unknown here: it is shown, and nothing is computed from it. */
bool wtl_channel_is_understood(const struct wattle_channel *channel);

/* Value of a raw reading in the channel's unit. Counters: ticks since any origin. NaN when it is not to
 * be interpreted. */
double wtl_channel_value(const struct wattle_channel *channel, uint64_t raw);

/*
 * The shortest time over which the power of a counter is that of the hardware and not of its ticks: two readings see n or n + 1
 * of them. 128 ticks make that 0.8 %; where they would take more than 250 ms, so long, but 20 ticks. 0 = its refresh is not known.
 */
uint64_t wtl_channel_stretch_ns(const struct wattle_channel *channel);

/* Compose "sensor:domain-index[-sub]" into channel->name from its other fields; `word` stands in the
 * domain's place unless it is NULL. */
void wtl_channel_set_name(struct wattle_channel *channel, const char *word);

/* Energy or power, and understood: the channels that results list; the others are activity. */
bool wtl_channel_is_energy(const struct wattle_channel *channel);

#endif
