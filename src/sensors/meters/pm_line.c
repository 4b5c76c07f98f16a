/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a pmlib server as channels: see pm_line.h. */
#define _GNU_SOURCE
#include "sensors/meters/pm_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

void wtl_pm_lines_take(void *context, const struct wtl_pm_line *line)
{
    struct wtl_pm_lines *lines = context;
    if (lines->count == WTL_PM_LINES)
        return;
    struct wtl_pm_line_text *to = &lines->list[lines->count++];
    to->number = line->number;
    (void)snprintf(to->name, sizeof to->name, "%.31s", line->name);
    (void)snprintf(to->description, sizeof to->description, "%.127s", line->description);
    (void)snprintf(to->computer, sizeof to->computer, "%.47s", line->computer);
}

/* A word of a description: its length, and where the next one begins. */
static size_t take_word(const char **text, const char *ends)
{
    size_t n = strcspn(*text, ends);
    *text += n + ((*text)[n] != '\0');
    return n;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && strncmp(at, word, n) == 0;
}

static bool parse_domain(const char *at, size_t n, enum wattle_domain *ret)
{
    for (int i = 0; i < WATTLE_DOMAIN_COUNT; i++) {
        if (is_word(at, n, wattle_domain_name((enum wattle_domain)i))) {
            *ret = (enum wattle_domain)i;
            return true;
        }
    }
    return false;
}

static bool parse_number(const char *at, size_t n, int *ret)
{
    uint64_t value;
    if (n == 0 || wtl_scan_u64(at, n, &value) != (int)n || value > 100000)
        return false;
    *ret = (int)value;
    return true;
}

static bool parse_quality(const char *at, size_t n, enum wattle_quality *ret)
{
    for (int i = 0; i < WATTLE_QUALITY_COUNT; i++) {
        if (is_word(at, n, wattle_quality_name((enum wattle_quality)i))) {
            *ret = (enum wattle_quality)i;
            return true;
        }
    }
    return false;
}

bool wtl_pm_description(const char *text, struct wattle_channel *channel)
{
    const char *comma = strchr(text, ','), *at = text, *word;
    if (!comma || strcmp(comma, ", mean of each period") != 0 || !strchr(text, ':'))
        return false;
    (void)take_word(&at, ":"); /* the sensor there */
    word = at;
    if (!parse_domain(word, take_word(&at, "-"), &channel->domain))
        return false;
    word = at;
    size_t n = strcspn(at, "- ");
    bool has_sub = at[n] == '-';
    if (!parse_number(word, take_word(&at, "- "), &channel->index))
        return false;
    word = at;
    if (has_sub && !parse_number(word, take_word(&at, " "), &channel->sub))
        return false;
    word = at;
    if (!parse_quality(word, take_word(&at, " ,"), &channel->quality))
        return false;
    if (at < comma && is_word(at, (size_t)(comma - at), "simulated"))
        channel->flags |= WATTLE_CHANNEL_SIMULATED;
    return true;
}

static const struct wtl_pm_line_text *find(const struct wtl_pm_lines *known, int32_t line)
{
    static const struct wtl_pm_line_text none;
    for (size_t i = 0; i < known->count; i++) {
        if (known->list[i].number == line)
            return &known->list[i];
    }
    return &none;
}

static struct wattle_channel gauge_of(enum wattle_domain domain,
                                      int index,
                                      const struct wtl_pm_place *place)
{
    struct wattle_channel channel = wtl_channel_init(domain, index, WATTLE_POWER, WATTLE_GAUGE);
    channel.scale = place->scale;
    channel.refresh_ns = place->period_ns;
    return channel;
}

int wtl_pm_add_line(struct wtl_source *source,
                    const struct wtl_pm_place *place,
                    const struct wtl_pm_lines *known,
                    int32_t line)
{
    const struct wtl_pm_line_text *text = find(known, line);
    struct wattle_channel channel = gauge_of(WATTLE_DOMAIN_OTHER, line, place);
    struct wattle_channel described = channel;
    if (wtl_pm_description(text->description, &described)) {
        channel = described;
        channel.kind = WATTLE_WINDOW_AVERAGE;
        channel.window_ns = place->period_ns;
    }
    (void)snprintf(channel.label, sizeof channel.label, "%.31s", text->name);
    (void)snprintf(channel.location, sizeof channel.location, "%.60s %.40s line %d%s%.30s",
                   place->address, place->device, (int)line, text->computer[0] ? " of " : "",
                   text->computer);
    return wtl_source_add(source, &channel);
}

int wtl_pm_add_sum(struct wtl_source *source,
                   const struct wtl_pm_place *place,
                   const char *domain,
                   const uint8_t lines[WTL_PM_MASK],
                   int32_t line_count,
                   struct wattle_error *err)
{
    enum wattle_domain parsed;
    int count = 0;
    if (!parse_domain(domain, strlen(domain), &parsed))
        return wtl_fail(err, -EINVAL,
                        "pm: domain \"%.40s\" is none; use node, package, dram, gpu, ...", domain);
    for (int32_t i = 0; i < line_count; i++)
        count += wtl_pm_mask_has(lines, i);
    struct wattle_channel channel = gauge_of(parsed, 0, place);
    channel.quality = count > 1 ? WATTLE_DERIVED : WATTLE_MEASURED;
    (void)snprintf(channel.label, sizeof channel.label, "sum of %d lines", count);
    (void)snprintf(channel.location, sizeof channel.location, "%.60s %.60s", place->address,
                   place->device);
    int rc = wtl_source_add(source, &channel);
    return rc < 0 ? rc : 0;
}
