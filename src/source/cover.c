/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See cover.h. Counters tick at different times, so that within one tick of each the smaller one may be ahead. The reads of the
 * packages are enclosed by those of the platform: a pause between two reads adds to the platform only.
 */
#include "source/cover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/world/topology.h"
#include "model/card/card.h"
#include "model/reading.h"

static const uint64_t POLL_NS = 1000000, POLLS = 100;
static const double CLEARLY = 0.95; /* less than this part of the packages is no noise */

/* What a counter has counted since its first reading, and its largest step: J. */
struct count {
    uint64_t last;
    bool begun;
    double j, step_j;
    uint64_t ticks;
};

static bool read_count(const struct wtl_selection *selection, size_t i, struct count *count)
{
    const struct wattle_channel *channel = &selection->channels[i];
    const struct wtl_pick *pick = &selection->picks[i];
    struct wattle_reading reading;
    pick->source->driver->read(pick->source, pick->at, 1, &reading);
    if (reading.status != 0 || (reading.raw < count->last && channel->modulus == 0))
        return false;
    uint64_t grown = reading.raw - count->last;
    if (reading.raw < count->last && channel->modulus > 0)
        grown += channel->modulus;
    if (count->begun && grown > 0) {
        double step_j = (double)grown * channel->scale;
        count->j += step_j;
        count->step_j = step_j > count->step_j ? step_j : count->step_j;
        count->ticks++;
    }
    count->last = reading.raw;
    count->begun = true;
    return true;
}

static bool is_counter(const struct wattle_channel *channel, enum wattle_domain domain)
{
    return channel->domain == domain && channel->flags & WATTLE_CHANNEL_PRIMARY &&
           channel->kind == WATTLE_COUNTER && channel->quantity == WATTLE_ENERGY &&
           channel->quality == WATTLE_MEASURED && !(channel->flags & WATTLE_CHANNEL_SLOW);
}

enum { PACKAGES_MAX = 64 };

/* One look at the packages. False: one cannot be read. */
static bool read_packages(const struct wtl_selection *selection,
                          const size_t packages[],
                          size_t n,
                          struct count counts[])
{
    bool good = true;
    for (size_t i = 0; i < n && good; i++)
        good = read_count(selection, packages[i], &counts[i]);
    return good;
}

enum verdict { VERDICT_OPEN, VERDICT_MORE, VERDICT_LESS };

/* Does the platform count less than the packages? */
static enum verdict compare(const struct count *platform, const struct count packages[], size_t n)
{
    double j = 0, doubt_j = 2 * platform->step_j;
    for (size_t i = 0; i < n; i++) {
        j += packages[i].j;
        doubt_j += 2 * packages[i].step_j;
    }
    if (platform->ticks < 3)
        return VERDICT_OPEN;
    if (platform->j > j + doubt_j)
        return VERDICT_MORE;
    return platform->j + doubt_j < CLEARLY * j ? VERDICT_LESS : VERDICT_OPEN;
}

static bool counts_less(const struct wtl_selection *selection,
                        size_t platform,
                        const size_t packages[],
                        size_t n)
{
    const struct wtl_world *world = selection->picks[platform].source->world;
    struct count whole = {.begun = false}, parts[PACKAGES_MAX] = {{.begun = false}};
    enum verdict verdict = VERDICT_OPEN;
    bool good =
        read_count(selection, platform, &whole) && read_packages(selection, packages, n, parts);
    for (uint64_t i = 0; i < POLLS && good && verdict == VERDICT_OPEN; i++) {
        (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + POLL_NS);
        good =
            read_packages(selection, packages, n, parts) && read_count(selection, platform, &whole);
        verdict = good ? compare(&whole, parts, n) : VERDICT_OPEN;
    }
    return verdict == VERDICT_LESS;
}

void wtl_cover_refuse(struct wtl_selection *selection)
{
    size_t packages[PACKAGES_MAX], n = 0;
    for (size_t i = 0; i < selection->count && n < PACKAGES_MAX; i++) {
        if (is_counter(&selection->channels[i], WATTLE_DOMAIN_PACKAGE))
            packages[n++] = i;
    }
    for (size_t i = 0; i < selection->count && n > 0; i++) {
        struct wattle_channel *channel = &selection->channels[i];
        if (!is_counter(channel, WATTLE_DOMAIN_PSYS) || !counts_less(selection, i, packages, n))
            continue;
        channel->flags &= ~(unsigned)WATTLE_CHANNEL_PRIMARY;
        wtl_source_note(selection->picks[i].source,
                        "%s counts less than the packages, which it should contain: the total does "
                        "without it",
                        channel->name);
    }
}

static bool is_same_place(const struct wattle_channel *a, const struct wattle_channel *b)
{
    return wtl_channel_is_energy(b) && a->domain == b->domain && a->sub == b->sub &&
           wtl_same_card(a, b);
}

bool wtl_cover_is_refused(const struct wtl_selection *selection, size_t i)
{
    const struct wattle_channel *channel = &selection->channels[i];
    if (channel->domain != WATTLE_DOMAIN_PSYS || !wtl_channel_is_energy(channel))
        return false;
    for (size_t j = 0; j < selection->count; j++) {
        const struct wattle_channel *other = &selection->channels[j];
        if ((j < i || other->flags & WATTLE_CHANNEL_PRIMARY) && is_same_place(channel, other))
            return false;
    }
    return true;
}

/* ---- what it lacks ---- */

/* Whether something primary shows this place, or all of its socket. */
static bool is_shown(const struct wtl_selection *selection, const struct wtl_lack *place)
{
    for (size_t i = 0; i < selection->count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (channel->flags & WATTLE_CHANNEL_PRIMARY && channel->quality != WATTLE_ESTIMATED &&
            channel->domain == place->domain && channel->index == place->index &&
            (channel->sub == place->sub || channel->sub < 0))
            return true;
    }
    return false;
}

static void append(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    if (!strstr(text, word))
        (void)snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

static void name_place(const struct wtl_lack *place, char *text, size_t size)
{
    char word[WATTLE_NAME_MAX];
    int n = snprintf(word, sizeof word, "%s-%d", wattle_domain_name(place->domain), place->index);
    if (place->sub >= 0)
        (void)snprintf(word + n, sizeof word - (size_t)n, "-%d", place->sub);
    append(text, size, word);
}

static void find_unread(struct wtl_selection *selection)
{
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_source *source = &selection->offers[i].source;
        for (size_t k = 0; k < source->lack_count; k++) {
            const struct wtl_lack *place = &source->lacks[k];
            bool counts =
                place->domain == WATTLE_DOMAIN_PACKAGE || place->domain == WATTLE_DOMAIN_DRAM;
            if (counts && !is_shown(selection, place))
                name_place(place, selection->lacks, sizeof selection->lacks);
        }
    }
}

/* Whether a package of this socket is counted, or a part of it. */
static bool is_package_counted(const struct wtl_selection *selection, int socket)
{
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (channel->domain == WATTLE_DOMAIN_PACKAGE && channel->index == socket &&
            channel->flags & WATTLE_CHANNEL_IN_TOTAL)
            return true;
    }
    return false;
}

/* Packages whose counters are in the total. */
static int count_packages(const struct wtl_selection *selection)
{
    int count = 0;
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        bool first = channel->domain == WATTLE_DOMAIN_PACKAGE && channel->kind == WATTLE_COUNTER &&
                     channel->flags & WATTLE_CHANNEL_IN_TOTAL;
        for (size_t k = 0; k < i && first; k++) {
            const struct wattle_channel *other = &selection->channels[k];
            first = !(other->domain == WATTLE_DOMAIN_PACKAGE && other->index == channel->index &&
                      other->flags & WATTLE_CHANNEL_IN_TOTAL);
        }
        count += first;
    }
    return count;
}

static int count_sockets(const struct wtl_topology *topology)
{
    int count = 0;
    for (size_t i = 0; i < topology->count; i++)
        count += topology->cpus[i].first_of_package;
    return count;
}

/* Sockets for which nothing is listed at all. A simulated node has those of the machine it is on, and counters of its own. */
static int find_absent(struct wtl_selection *selection, const struct wtl_world *world)
{
    struct wtl_topology topology;
    char word[64];
    int packages = count_packages(selection);
    if (packages == 0 || world->simulated)
        return 0;
    int rc = wtl_topology_load(world, &topology);
    if (rc < 0)
        return rc == -ENOMEM ? rc : 0;
    int sockets = count_sockets(&topology);
    wtl_topology_fini(&topology);
    if (packages >= sockets)
        return 0;
    (void)snprintf(word, sizeof word, "the packages of %d of %d sockets", sockets - packages,
                   sockets);
    append(selection->lacks, sizeof selection->lacks, word);
    return 0;
}

/* Sockets whose memory is counted and whose package is not, beside packages that are: the memory shows that there is a socket. */
static void find_packageless(struct wtl_selection *selection)
{
    if (count_packages(selection) == 0)
        return;
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        const struct wtl_lack package = {
            .domain = WATTLE_DOMAIN_PACKAGE, .index = channel->index, .sub = -1};
        if (channel->domain == WATTLE_DOMAIN_DRAM && channel->kind == WATTLE_COUNTER &&
            channel->flags & WATTLE_CHANNEL_IN_TOTAL &&
            !is_package_counted(selection, channel->index))
            name_place(&package, selection->lacks, sizeof selection->lacks);
    }
}

/* Whether the total counts sockets one by one. */
static bool is_of_sockets(const struct wtl_selection *selection)
{
    bool any = false;
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        if (channel->domain == WATTLE_DOMAIN_NODE || channel->domain == WATTLE_DOMAIN_PSYS ||
            channel->domain == WATTLE_DOMAIN_PSU || channel->quality == WATTLE_ESTIMATED ||
            wtl_is_apu(channel))
            return false;
        any = true;
    }
    return any;
}

int wtl_cover_find_lacks(struct wtl_selection *selection, const struct wtl_world *world)
{
    if (!is_of_sockets(selection))
        return 0;
    find_unread(selection);
    find_packageless(selection);
    return selection->lacks[0] ? 0 : find_absent(selection, world);
}
