/* SPDX-License-Identifier: BSD-3-Clause */
/* Quality in words: see quality.h. */
#include "model/quality.h"

#include <stddef.h>
#include <string.h>

static const char simulated_word[] = "simulated";

const char *wtl_quality_word(enum wattle_quality quality, bool simulated)
{
    return wtl_quality_simulates(quality, simulated) ? simulated_word
                                                     : wattle_quality_name(quality);
}

const char *wtl_quality_simulates(enum wattle_quality quality, bool simulated)
{
    return simulated && quality != WATTLE_ESTIMATED ? wattle_quality_name(quality) : NULL;
}

enum wattle_quality wtl_quality_of_words(const char *word, const char *simulates)
{
    if (word && strcmp(word, simulated_word) == 0)
        word = simulates;
    for (int i = 0; word && i < WATTLE_QUALITY_COUNT; i++) {
        if (strcmp(word, wattle_quality_name((enum wattle_quality)i)) == 0)
            return (enum wattle_quality)i;
    }
    return WATTLE_ESTIMATED;
}

bool wtl_channel_is_simulated(const struct wattle_channel *channel)
{
    return (channel->flags & WATTLE_CHANNEL_SIMULATED) != 0;
}

const char *wtl_channel_quality_word(const struct wattle_channel *channel)
{
    return wtl_quality_word(channel->quality, wtl_channel_is_simulated(channel));
}

bool wtl_channels_are_simulated(const struct wattle_channel *channels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (wtl_channel_is_simulated(&channels[i]))
            return true;
    }
    return false;
}
