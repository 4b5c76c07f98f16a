/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quality in words, for text, JSON and CSV. A value from a simulated node is neither measured nor derived,
 * whatever its sensor would be on a real machine: it is "simulated", and what it simulates is stated
 * separately. An estimate stays an estimate on a simulated node.
 */
#ifndef WTL_MODEL_QUALITY_H
#define WTL_MODEL_QUALITY_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/channel.h>

/* "measured", "derived", "estimated" or "simulated". */
const char *wtl_quality_word(enum wattle_quality quality, bool simulated);

/* What a simulated value would be on a real machine, "measured" or "derived"; NULL: not simulated, or an
 * estimate. */
const char *wtl_quality_simulates(enum wattle_quality quality, bool simulated);

/* Convert both words back (NULL: not given). Unknown words mean estimated, since nothing better is known.
 * Older documents have the word for what a value simulates instead of "simulated". */
enum wattle_quality wtl_quality_of_words(const char *word, const char *simulates);

bool wtl_channel_is_simulated(const struct wattle_channel *channel);
const char *wtl_channel_quality_word(const struct wattle_channel *channel);

/* Whether any channel is simulated. All channels with a simulated one belong to the same node. */
bool wtl_channels_are_simulated(const struct wattle_channel *channels, size_t n);

#endif
