/* SPDX-License-Identifier: BSD-3-Clause */
/* Traits of channels as text: see channel_traits.h. */
#define _GNU_SOURCE
#include "exchange/channel_traits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "model/bound.h"

struct wtl_channel_traits wtl_channel_traits_of(const struct wattle_channel *channel)
{
    struct wtl_channel_traits traits = {.ratio_low = channel->ratio_low,
                                        .ratio_high = channel->ratio_high};
    if (channel->kind == WATTLE_WINDOW_AVERAGE || wtl_seen_part(channel) < 1) {
        traits.window_ns = channel->window_ns;
        traits.refresh_ns = channel->refresh_ns;
        traits.max_w = channel->max_w;
    }
    return traits;
}

void wtl_channel_traits_add(struct wtl_channel_traits *sum,
                            const struct wattle_channel *channel,
                            size_t count)
{
    const struct wtl_channel_traits one = wtl_channel_traits_of(channel);
    if (count == 0)
        *sum =
            (struct wtl_channel_traits){.ratio_low = one.ratio_low, .ratio_high = one.ratio_high};
    /* Of the parts that do not see all the time the one that sees the least of it stands for all. */
    if (wtl_seen_part(channel) < 1 &&
        (sum->window_ns == 0 || (double)one.window_ns * (double)sum->refresh_ns <
                                    (double)sum->window_ns * (double)one.refresh_ns)) {
        sum->window_ns = one.window_ns;
        sum->refresh_ns = one.refresh_ns;
    }
    sum->max_w += wtl_greatest_power_w(channel);
    sum->ratio_low = fmin(sum->ratio_low, one.ratio_low);
    sum->ratio_high =
        sum->ratio_high > 0 && one.ratio_high > 0 ? fmax(sum->ratio_high, one.ratio_high) : 0;
}

char *wtl_channel_traits_print(const struct wtl_channel_traits *traits, char *buf, size_t size)
{
    char window[128] = "", ratio[64] = "";
    if (traits->window_ns > 0) {
        int n =
            snprintf(window, sizeof window, "window_ns=%llu refresh_ns=%llu",
                     (unsigned long long)traits->window_ns, (unsigned long long)traits->refresh_ns);
        if (traits->max_w > 0 && n > 0)
            (void)snprintf(window + n, sizeof window - (size_t)n, " max_w=%.9g", traits->max_w);
    }
    if (traits->ratio_high > 0)
        (void)snprintf(ratio, sizeof ratio, "ratio=%.9g..%.9g", traits->ratio_low,
                       traits->ratio_high);
    (void)snprintf(buf, size, "%s%s%s", window, *window && *ratio ? " " : "", ratio);
    return buf;
}

/* A number after "KEY="; NaN if it is none, or below 0. */
static double read_number(const char *text, const char **ret_end)
{
    char *end;
    double value = strtod(text, &end);
    *ret_end = end;
    return end > text && value >= 0 && value < 1e18 ? value : (double)NAN;
}

static void read_word(const char *text, struct wtl_channel_traits *traits)
{
    const char *equals = strchr(text, '='), *end;
    if (!equals)
        return;
    size_t n = (size_t)(equals - text);
    double value = read_number(equals + 1, &end);
    if (isnan(value))
        return;
    if (n == 9 && strncmp(text, "window_ns", n) == 0)
        traits->window_ns = (uint64_t)value;
    else if (n == 10 && strncmp(text, "refresh_ns", n) == 0)
        traits->refresh_ns = (uint64_t)value;
    else if (n == 5 && strncmp(text, "max_w", n) == 0)
        traits->max_w = value;
    else if (n == 5 && strncmp(text, "ratio", n) == 0 && strncmp(end, "..", 2) == 0) {
        double high = read_number(end + 2, &end);
        if (high >= value && high > 0) {
            traits->ratio_low = value;
            traits->ratio_high = high;
        }
    }
}

void wtl_channel_traits_read(const char *text, struct wtl_channel_traits *ret_traits)
{
    *ret_traits = (struct wtl_channel_traits){0};
    while (*text) {
        size_t n = strcspn(text, " ");
        char word[64];
        (void)snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1),
                       text);
        read_word(word, ret_traits);
        text += n;
        text += strspn(text, " ");
    }
}

void wtl_channel_traits_apply(const struct wtl_channel_traits *traits,
                              struct wattle_channel *channel)
{
    if (channel->kind != WATTLE_GAUGE && traits->window_ns > 0) {
        channel->window_ns = traits->window_ns;
        channel->refresh_ns = traits->refresh_ns;
        channel->max_w = traits->max_w;
    }
    if (channel->quality == WATTLE_ESTIMATED && traits->ratio_high > 0) {
        channel->ratio_low = traits->ratio_low;
        channel->ratio_high = traits->ratio_high;
    }
}
