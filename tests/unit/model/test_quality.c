/* SPDX-License-Identifier: BSD-3-Clause */
/* Quality as text, and back: a simulated node is never called measured. */
#include "model/quality.h"

#include "model/result.h"
#include "tap.h"

static const struct {
    int line;
    enum wattle_quality quality;
    bool simulated;
    const char *word, *simulates;
} words[] = {
    {__LINE__, WATTLE_MEASURED, false, "measured", NULL},
    {__LINE__, WATTLE_DERIVED, false, "derived", NULL},
    {__LINE__, WATTLE_ESTIMATED, false, "estimated", NULL},
    {__LINE__, WATTLE_MEASURED, true, "simulated", "measured"},
    {__LINE__, WATTLE_DERIVED, true, "simulated", "derived"},
    {__LINE__, WATTLE_ESTIMATED, true, "estimated", NULL},
};

static void there_and_back(void)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = wtl_quality_word(words[i].quality, words[i].simulated);
        const char *simulates = wtl_quality_simulates(words[i].quality, words[i].simulated);
        tap_line = words[i].line;
        is_str(word, words[i].word, "the word");
        is_str(simulates, words[i].simulates, "what it simulates");
        is_int(wtl_quality_of_words(word, simulates), words[i].quality, "and back");
    }
    tap_line = 0;
    is_int(wtl_quality_of_words("measured", NULL), WATTLE_MEASURED, "of an older document");
    is_int(wtl_quality_of_words("simulated", NULL), WATTLE_ESTIMATED,
           "simulated, but not what: no better than an estimate");
    is_int(wtl_quality_of_words(NULL, NULL), WATTLE_ESTIMATED, "none: no better than an estimate");
}

static void results(void)
{
    struct wtl_result_channel channels[2] = {
        {.channel = {.flags = WATTLE_CHANNEL_IN_TOTAL, .quality = WATTLE_MEASURED}},
        {.channel = {.flags = WATTLE_CHANNEL_IN_TOTAL, .quality = WATTLE_DERIVED}}};
    struct wtl_result result = {.channels = channels,
                                .channel_count = 2,
                                .energy_count = 2,
                                .total = {.count = 2, .quality = WATTLE_DERIVED}};
    is_str(wtl_result_quality_word(&result), "derived", "a real node");
    channels[1].channel.flags |= WATTLE_CHANNEL_SIMULATED;
    is_str(wtl_channel_quality_word(&channels[0].channel), "measured", "a channel by itself");
    is_str(wtl_channel_quality_word(&channels[1].channel), "simulated", "a simulated one");
    is_str(wtl_result_quality_word(&result), "simulated", "which the total is, too");
    result.total.quality = WATTLE_ESTIMATED;
    is_str(wtl_result_quality_word(&result), "estimated", "an estimate stays one");
    struct wattle_channel two[] = {channels[0].channel, channels[1].channel};
    ok(wtl_channels_are_simulated(two, 2) && !wtl_channels_are_simulated(two, 1), "of channels");
}

int main(void)
{
    there_and_back();
    results();
    return done_testing();
}
