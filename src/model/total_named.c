/* SPDX-License-Identifier: BSD-3-Clause */
/* A total named by the user: see total.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "model/card/card.h"
#include "model/reading.h"
#include "model/total.h"

enum { NAMES = 64 }; /* further names are not searched for a similar one */

static int domain_of(const char *name)
{
    int domain = 0;
    while (domain < WATTLE_DOMAIN_COUNT &&
           strcmp(wattle_domain_name((enum wattle_domain)domain), name) != 0)
        domain++;
    return domain;
}

static bool speaks_for(const struct wattle_channel *channel, int domain)
{
    return (int)channel->domain == domain && channel->flags & WATTLE_CHANNEL_PRIMARY &&
           wtl_channel_is_energy(channel);
}

/* Whether another channel of that domain contains it. */
static bool is_inside(const struct wattle_channel *channels, size_t n, size_t i, int domain)
{
    for (size_t k = 0; k < n; k++) {
        if (k != i && speaks_for(&channels[k], domain) &&
            strcmp(channels[k].name, channels[i].within) == 0)
            return true;
    }
    return false;
}

/* List what is available, with a similar name in case of a typo. */
static int say_none(const struct wattle_channel *channels,
                    size_t n,
                    const char *name,
                    struct wattle_error *err)
{
    const char *names[NAMES + WATTLE_DOMAIN_COUNT];
    char list[200] = "";
    size_t count = 0, used = 0;
    for (size_t i = 0; i < n && count < NAMES; i++) {
        if (!wtl_channel_is_energy(&channels[i]))
            continue;
        names[count++] = channels[i].name;
        if (used + sizeof channels[i].name + 8 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     channels[i].name);
        else if (list[used - 1] != '.')
            used += (size_t)snprintf(list + used, sizeof list - used, ", ...");
    }
    size_t channel_count = count;
    for (int domain = 0; domain < WATTLE_DOMAIN_COUNT; domain++) {
        bool there = false;
        for (size_t i = 0; i < n; i++)
            there |= speaks_for(&channels[i], domain);
        if (there)
            names[count++] = wattle_domain_name((enum wattle_domain)domain);
    }
    const char *near = wtl_nearest(name, names, count);
    if (channel_count == 0)
        return wtl_fail(err, -ENOENT, "no channel \"%.60s\": there are no energy channels", name);
    return wtl_fail(err, -ENOENT, "no energy channel or domain \"%.60s\"; available: %s%s%s%s",
                    name, list, near ? "; did you mean \"" : "", near ? near : "",
                    near ? "\"?" : "");
}

/* The number of the domain's channels, and the one with the lowest index. */
static size_t survey(const struct wattle_channel *channels, size_t n, int domain, size_t *ret_first)
{
    size_t count = 0, first = n;
    for (size_t i = 0; i < n; i++) {
        if (!speaks_for(&channels[i], domain) || is_inside(channels, n, i, domain))
            continue;
        count++;
        if (first == n || channels[i].index < channels[first].index)
            first = i;
    }
    *ret_first = first;
    return count;
}

static bool mixes(const struct wattle_channel *channels, size_t n, int domain)
{
    bool estimated = false, measured = false;
    for (size_t i = 0; i < n; i++) {
        if (!speaks_for(&channels[i], domain))
            continue;
        estimated |= channels[i].quality == WATTLE_ESTIMATED;
        measured |= channels[i].quality != WATTLE_ESTIMATED;
    }
    return estimated && measured;
}

/* Add the domain's channels to the total, or only channel `only` (n = all). */
static void enter(struct wattle_channel *channels,
                  size_t n,
                  int domain,
                  size_t only,
                  struct wtl_total *total)
{
    for (size_t i = 0; i < n; i++) {
        bool in = only < n ? i == only
                           : speaks_for(&channels[i], domain) && !is_inside(channels, n, i, domain);
        channels[i].flags &= ~(unsigned)WATTLE_CHANNEL_IN_TOTAL;
        if (!in)
            continue;
        channels[i].flags |= WATTLE_CHANNEL_IN_TOTAL;
        if (channels[i].quality > total->quality)
            total->quality = channels[i].quality;
    }
}

static int choose_domain(struct wattle_channel *channels,
                         size_t n,
                         int domain,
                         struct wtl_total *total,
                         struct wattle_error *err)
{
    const char *name = wattle_domain_name((enum wattle_domain)domain);
    bool overlaps = domain == WATTLE_DOMAIN_BOARD || domain == WATTLE_DOMAIN_OTHER;
    size_t first, count = survey(channels, n, domain, &first);
    if (count == 0)
        return say_none(channels, n, name, err);
    bool sees_all = domain == WATTLE_DOMAIN_PSYS ||
                    (domain == WATTLE_DOMAIN_NODE && !wtl_is_module(&channels[first]));
    if (overlaps && count > 1)
        return wtl_fail(err, -ENOTSUP,
                        "the %zu channels of \"%s\" may contain each other and cannot be summed; "
                        "choose one, for example %s",
                        count, name, channels[first].name);
    if (!sees_all && mixes(channels, n, domain))
        return wtl_fail(
            err, -ENOTSUP,
            "some channels of \"%s\" are measured and others estimated; choose one, for example %s",
            name, channels[first].name);
    enter(channels, n, domain, sees_all ? first : n, total);
    total->count = sees_all ? 1 : count;
    if (total->count == 1)
        (void)snprintf(total->contains, sizeof total->contains, "%s", channels[first].name);
    else
        (void)snprintf(total->contains, sizeof total->contains, "%s: sum of %zu channels", name,
                       count);
    return 0;
}

int wtl_total_choose_named(struct wattle_channel *channels,
                           size_t n,
                           const char *name,
                           struct wtl_total *ret_total,
                           struct wattle_error *err)
{
    struct wtl_total total = {.count = 1};
    size_t found = 0;
    while (found < n && strcmp(channels[found].name, name) != 0)
        found++;
    if (found == n) {
        int domain = domain_of(name);
        int rc = domain < WATTLE_DOMAIN_COUNT ? choose_domain(channels, n, domain, &total, err)
                                              : say_none(channels, n, name, err);
        if (rc == 0)
            *ret_total = total;
        return rc;
    }
    if (!wtl_channel_is_energy(&channels[found]))
        return wtl_fail(err, -EINVAL, "channel %s measures %s, not energy", name,
                        wattle_quantity_name(channels[found].quantity));
    for (size_t i = 0; i < n; i++)
        channels[i].flags &= ~(unsigned)WATTLE_CHANNEL_IN_TOTAL;
    channels[found].flags |= WATTLE_CHANNEL_IN_TOTAL;
    total.quality = channels[found].quality;
    (void)snprintf(total.contains, sizeof total.contains, "%s", name);
    *ret_total = total;
    return 0;
}
