/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which channels may be added up: see total.h for the rule. The description is generated from the same
 * choice, so that a sum always comes with the list of its parts.
 */
#include "model/total.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/card/card.h"
#include "model/reading.h"

/* Domains of one socket, in the order in which they are listed. */
static const enum wattle_domain socket_domains[] = {WATTLE_DOMAIN_PACKAGE, WATTLE_DOMAIN_CORE,
                                                    WATTLE_DOMAIN_UNCORE, WATTLE_DOMAIN_DRAM};
#define SOCKET_DOMAINS (sizeof socket_domains / sizeof *socket_domains)

/* The available channels and those chosen so far. */
struct choice {
    struct wattle_channel *channels;
    size_t n;
};

static bool is_in(const struct wattle_channel *channel)
{
    return channel->flags & WATTLE_CHANNEL_IN_TOTAL;
}

static bool is_top(const struct wattle_channel *channel)
{
    return channel->flags & WATTLE_CHANNEL_PRIMARY && channel->within[0] == '\0' &&
           wtl_channel_is_energy(channel) && (unsigned)channel->quality < WATTLE_QUALITY_COUNT;
}

static bool may_enter(const struct wattle_channel *channel, bool estimated)
{
    return is_top(channel) && channel->domain != WATTLE_DOMAIN_BOARD &&
           channel->domain != WATTLE_DOMAIN_OTHER &&
           (channel->quality == WATTLE_ESTIMATED) == estimated;
}

/* Cores and uncore are part of their package even if no single channel of the package contains them, as
 * when it is counted per die. */
static bool is_counted(const struct choice *choice, const struct wattle_channel *channel)
{
    if (channel->domain != WATTLE_DOMAIN_CORE && channel->domain != WATTLE_DOMAIN_UNCORE)
        return false;
    for (size_t i = 0; i < choice->n; i++) {
        if (is_in(&choice->channels[i]) && choice->channels[i].domain == WATTLE_DOMAIN_PACKAGE &&
            choice->channels[i].index == channel->index)
            return true;
    }
    return false;
}

/* Take all top-level channels of a domain; first_only: only the one with the lowest index, which measures the whole machine.
 * Returns their number. */
static size_t choose_domain(const struct choice *choice,
                            enum wattle_domain domain,
                            bool estimated,
                            bool first_only)
{
    size_t taken = 0, lowest = choice->n;
    for (size_t i = 0; i < choice->n; i++) {
        const struct wattle_channel *channel = &choice->channels[i];
        if (channel->domain != domain || !may_enter(channel, estimated) ||
            is_counted(choice, channel) || (first_only && wtl_is_module(channel)))
            continue;
        taken++;
        if (!first_only)
            choice->channels[i].flags |= WATTLE_CHANNEL_IN_TOTAL;
        if (lowest == choice->n || channel->index < choice->channels[lowest].index)
            lowest = i;
    }
    if (first_only && lowest < choice->n)
        choice->channels[lowest].flags |= WATTLE_CHANNEL_IN_TOTAL;
    return first_only && taken ? 1 : taken;
}

/* The rule for channels that are all measured or all estimated. Returns the number taken. */
static size_t take_level(const struct choice *choice, bool estimated)
{
    /* Several node or psys sensors measure the same machine: adding them would count it twice. */
    size_t taken = choose_domain(choice, WATTLE_DOMAIN_NODE, estimated, true);
    if (taken == 0) /* none of the whole: those of its modules */
        taken = choose_domain(choice, WATTLE_DOMAIN_NODE, estimated, false);
    if (taken)
        return taken;
    taken = choose_domain(choice, WATTLE_DOMAIN_PSYS, estimated, true);
    for (size_t i = 0; taken == 0 && i < SOCKET_DOMAINS; i++)
        (void)choose_domain(choice, socket_domains[i], estimated, false);
    for (size_t i = 0; i < choice->n; i++)
        taken += is_in(&choice->channels[i]) && choice->channels[i].domain != WATTLE_DOMAIN_PSYS;
    taken += choose_domain(choice, WATTLE_DOMAIN_GPU, estimated, false);
    taken += choose_domain(choice, WATTLE_DOMAIN_GPU_MEMORY, estimated, false);
    if (taken == 0) /* a supply contains what it feeds */
        return choose_domain(choice, WATTLE_DOMAIN_PSU, estimated, false);
    taken += choose_domain(choice, WATTLE_DOMAIN_NETWORK, estimated, false);
    taken += choose_domain(choice, WATTLE_DOMAIN_DISK, estimated, false);
    return taken;
}

/* Number of different indices of a domain in the total. */
static int count_of(const struct choice *choice, enum wattle_domain domain)
{
    int count = 0;
    for (size_t i = 0; i < choice->n; i++) {
        if (!is_in(&choice->channels[i]) || choice->channels[i].domain != domain)
            continue;
        size_t j = 0;
        while (!(is_in(&choice->channels[j]) && choice->channels[j].domain == domain &&
                 wtl_same_card(&choice->channels[j], &choice->channels[i])))
            j++;
        count += i == j;
    }
    return count;
}

/* Append to text, after `joint` unless it is empty; truncated when too long. */
static void append(char *text, size_t size, const char *joint, const char *word)
{
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s", used ? joint : "", word);
}

static void append_count(char *text, size_t size, int count, const char *one, const char *many)
{
    char word[48];
    if (count == 0)
        return;
    (void)snprintf(word, sizeof word, "%d %s", count, count == 1 ? one : many);
    append(text, size, " + ", word);
}

/* "package + dram of 2 sockets": adjacent domains with the same number of sockets are listed together. */
static void describe_sockets(const struct choice *choice, char *text, size_t size)
{
    int pending = 0;
    char word[48];
    for (size_t i = 0; i < SOCKET_DOMAINS; i++) {
        int count = count_of(choice, socket_domains[i]);
        if (count == 0)
            continue;
        if (pending && pending != count) {
            (void)snprintf(word, sizeof word, " of %d socket%s", pending, pending == 1 ? "" : "s");
            append(text, size, "", word);
        }
        append(text, size, " + ", wattle_domain_name(socket_domains[i]));
        pending = count;
    }
    if (pending) {
        (void)snprintf(word, sizeof word, " of %d socket%s", pending, pending == 1 ? "" : "s");
        append(text, size, "", word);
    }
}

static bool has(const struct choice *choice, bool (*is_such)(const struct wattle_channel *))
{
    for (size_t i = 0; i < choice->n; i++) {
        if (is_in(&choice->channels[i]) && is_such(&choice->channels[i]))
            return true;
    }
    return false;
}

static void describe(const struct choice *choice, struct wtl_total *total)
{
    static const struct {
        enum wattle_domain domain;
        const char *one, *many;
    } counted[] = {{WATTLE_DOMAIN_GPU, "GPU", "GPUs"},
                   {WATTLE_DOMAIN_GPU_MEMORY, "GPU memory", "GPU memories"},
                   {WATTLE_DOMAIN_PSU, "supply", "supplies"},
                   {WATTLE_DOMAIN_NETWORK, "network card", "network cards"},
                   {WATTLE_DOMAIN_DISK, "disk", "disks"}};
    char *text = total->contains;
    size_t size = sizeof total->contains;
    if (has(choice, wtl_is_module))
        append_count(text, size, count_of(choice, WATTLE_DOMAIN_NODE), "module", "modules");
    else if (count_of(choice, WATTLE_DOMAIN_NODE))
        append(text, size, " + ", "node");
    if (count_of(choice, WATTLE_DOMAIN_PSYS))
        append(text, size, " + ", "psys (processors and memory)");
    describe_sockets(choice, text, size);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        append_count(text, size, count_of(choice, counted[i].domain), counted[i].one,
                     counted[i].many);
}

static void describe_rest(const struct choice *choice, struct wtl_total *total)
{
    char *text = total->excludes;
    size_t size = sizeof total->excludes;
    bool modules = has(choice, wtl_is_module);
    /* Sockets of APUs and modules have no processor and no memory outside. */
    bool psys = count_of(choice, WATTLE_DOMAIN_PSYS) > 0 || has(choice, wtl_is_apu) || modules;
    if ((count_of(choice, WATTLE_DOMAIN_NODE) && !modules) || count_of(choice, WATTLE_DOMAIN_PSU))
        return;
    if (!psys && !count_of(choice, WATTLE_DOMAIN_PACKAGE))
        append(text, size, ", ", "processor packages");
    if (!psys && !count_of(choice, WATTLE_DOMAIN_DRAM))
        append(text, size, ", ", "memory");
    if (!modules && !count_of(choice, WATTLE_DOMAIN_GPU))
        append(text, size, ", ", "GPUs");
    if (!count_of(choice, WATTLE_DOMAIN_NETWORK))
        append(text, size, ", ", "network");
    if (!count_of(choice, WATTLE_DOMAIN_DISK))
        append(text, size, ", ", "disks");
    append(text, size, ", ", "fans, supply loss");
}

void wtl_total_choose(struct wattle_channel *channels, size_t n, struct wtl_total *ret_total)
{
    struct choice choice = {.channels = channels, .n = n};
    struct wtl_total total = {0};
    for (size_t i = 0; i < n; i++)
        channels[i].flags &= ~(unsigned)WATTLE_CHANNEL_IN_TOTAL;
    if (take_level(&choice, false) == 0)
        (void)take_level(&choice, true);
    for (size_t i = 0; i < n; i++) {
        if (!is_in(&channels[i]))
            continue;
        total.count++;
        if (channels[i].quality > total.quality)
            total.quality = channels[i].quality;
    }
    if (total.count) {
        describe(&choice, &total);
        describe_rest(&choice, &total);
    }
    *ret_total = total;
}
