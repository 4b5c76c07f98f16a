/* SPDX-License-Identifier: BSD-3-Clause */
/* Powers for MonEQ's calls: see moneq_power.h. A domain is the sum over its primary channels; the
 * export to MonEQ's files chooses them in the same way (src/exchange/moneq/moneq_export.c). */
#include "profiler/moneq_power.h"

#include <math.h>
#include <stdlib.h>

#include <wattle/profiler.h>

const struct wtl_moneq_domain wtl_moneq_domains[WTL_MONEQ_API_DOMAINS] = {
    {1, "chip core", "processor packages, or cores"},
    {2, "chip memory interface and DRAM", "memory"},
    {6, "HSS network transceivers, compute and link chip", "network"},
    {7, "chip SRAM", NULL},
    {3, "optics", NULL},
    {4, "optics and PCI Express", "GPUs"},
    {8, "link chip core", NULL}};

/* Index in MonEQ's order, or -1. */
static int domain_of(enum wattle_domain domain, bool cores)
{
    switch (domain) {
    case WATTLE_DOMAIN_PACKAGE:
        return cores ? -1 : 0;
    case WATTLE_DOMAIN_CORE:
        return cores ? 0 : -1;
    case WATTLE_DOMAIN_DRAM:
        return 1;
    case WATTLE_DOMAIN_NETWORK:
        return 2;
    case WATTLE_DOMAIN_GPU:
        return 5;
    default:
        return -1;
    }
}

static bool may_speak(const struct wattle_domain_energy *channel, bool estimated)
{
    return channel->flags & WATTLE_CHANNEL_PRIMARY &&
           (channel->quality == WATTLE_ESTIMATED) == estimated;
}

static void add_up(const struct wattle_domain_energy *channels,
                   size_t n,
                   bool estimated,
                   double *ret_domains)
{
    bool any[WTL_MONEQ_API_DOMAINS] = {false}, cores = true;
    for (size_t i = 0; i < n; i++)
        cores = cores && !(channels[i].domain == WATTLE_DOMAIN_PACKAGE &&
                           may_speak(&channels[i], estimated));
    for (size_t i = 0; i < WTL_MONEQ_API_DOMAINS; i++)
        ret_domains[i] = 0;
    for (size_t i = 0; i < n; i++) {
        int at = domain_of(channels[i].domain, cores);
        if (at < 0 || !may_speak(&channels[i], estimated))
            continue;
        any[at] = true;
        ret_domains[at] += channels[i].power_w;
    }
    for (size_t i = 0; i < WTL_MONEQ_API_DOMAINS; i++)
        ret_domains[i] = any[i] ? ret_domains[i] : NAN;
}

double wtl_moneq_power(double *ret_domains)
{
    struct wattle_domain_energy total, *channels = NULL;
    bool known = wattle_read_total(NULL, &total) > 0;
    for (size_t i = 0; ret_domains && i < WTL_MONEQ_API_DOMAINS; i++)
        ret_domains[i] = NAN;
    int count = ret_domains ? wattle_read(NULL, NULL, 0) : 0;
    if (count > 0 && (channels = malloc((size_t)count * sizeof *channels)) != NULL) {
        int read = wattle_read(NULL, channels, (size_t)count);
        if (read > 0)
            add_up(channels, (size_t)(read < count ? read : count),
                   known && total.quality == WATTLE_ESTIMATED, ret_domains);
        free(channels);
    }
    return known ? total.power_w : NAN;
}
