/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See contradiction.h. Parts are added up only where none contains another; those of an integrated GPU, for example, may be part
 * of the package beside it. Energies with gaps are not compared, nor are those of gauges over less than ten of their times:
 * what they show is older than what a counter counts.
 */
#include "model/contradiction/contradiction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/figures.h"
#include "model/flag.h"

static const double HALVES = 3; /* of an interval of 95 % */
static const double COUNTERS_PART = 0.02,
                    GAUGES_PART = 0.1; /* errors that intervals do not contain */
static const double GAUGE_TIMES = 10,
                    GAUGE_TIME_S = 1; /* the second: if it does not state its time */

static bool is_gauge(const struct wtl_result_channel *c)
{
    return c->channel.kind != WATTLE_COUNTER;
}

static bool is_known(const struct wtl_result *result, const struct wtl_result_channel *c)
{
    double time_s = (double)(c->channel.refresh_ns + c->channel.window_ns) * 1e-9;
    double least_s = GAUGE_TIMES * (time_s > 0 ? time_s : GAUGE_TIME_S);
    return isfinite(c->summary.amount) && isfinite(c->summary.amount_half) &&
           c->summary.unknown_ns == 0 && c->channel.quality != WATTLE_ESTIMATED &&
           !(is_gauge(c) && !(result->wall_time_s >= least_s));
}

static bool is_primary(const struct wtl_result_channel *c)
{
    return c->channel.flags & WATTLE_CHANNEL_PRIMARY;
}

/* Parts of one kind do not overlap. */
static int kind_of_part(enum wattle_domain domain)
{
    switch (domain) {
    case WATTLE_DOMAIN_PACKAGE:
    case WATTLE_DOMAIN_DRAM:
        return 0;
    case WATTLE_DOMAIN_CORE:
    case WATTLE_DOMAIN_UNCORE:
        return 1;
    case WATTLE_DOMAIN_GPU:
        return 2;
    case WATTLE_DOMAIN_GPU_MEMORY:
        return 3;
    case WATTLE_DOMAIN_PSYS:
        return 4;
    default:
        return 5;
    }
}
enum { KINDS = 5, LEVELS = 8 };

/* Directly, or in something that it contains. */
static bool is_inside(const struct wtl_result *result,
                      const struct wtl_result_channel *part,
                      const struct wtl_result_channel *whole)
{
    for (int level = 0; part && level < LEVELS; level++) {
        const char *within = part->channel.within;
        if (strcmp(within, whole->channel.name) == 0)
            return true;
        part = NULL;
        for (size_t i = 0; within[0] && !part && i < result->energy_count; i++)
            if (strcmp(result->channels[i].channel.name, within) == 0)
                part = &result->channels[i];
    }
    return false;
}

/* A counter of the platform that is not primary was refused, or is a second one: it contains the sockets all the same. */
static bool is_part(const struct wtl_result *result,
                    const struct wtl_result_channel *whole,
                    const struct wtl_result_channel *part)
{
    if (!is_primary(part) || part == whole)
        return false;
    return is_inside(result, part, whole) ||
           (whole->channel.domain == WATTLE_DOMAIN_PSYS && !is_primary(whole) &&
            kind_of_part(part->channel.domain) == 0);
}

static double room_j(double half_j, double j, bool gauges)
{
    return HALVES * half_j + (gauges ? GAUGES_PART : COUNTERS_PART) * j;
}

static int flag_parts(struct wtl_result *result, const struct wtl_result_channel *whole, int kind)
{
    const struct wtl_result_channel *first = NULL;
    double j = 0, half_j = whole->summary.amount_half;
    bool gauges = is_gauge(whole);
    char more[40] = "";
    size_t count = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *part = &result->channels[i];
        if (!is_part(result, whole, part) || kind_of_part(part->channel.domain) != kind ||
            !is_known(result, part))
            continue;
        first = first ? first : part;
        j += part->summary.amount;
        half_j += part->summary.amount_half;
        gauges |= is_gauge(part);
        count++;
    }
    if (!first || !(j > whole->summary.amount + room_j(half_j, j, gauges)))
        return 0;
    if (count > 1)
        (void)snprintf(more, sizeof more, " and %zu more", count - 1);
    return wtl_result_flag(result, WTL_FLAG_CONTRADICTORY,
                           "%s has %s J, less than %s%s, which it contains, with %s J: one of "
                           "them is wrong",
                           whole->channel.name, WTL_IN_FIGURES(whole->summary.amount, 4),
                           first->channel.name, more, WTL_IN_FIGURES(j, 4));
}

/* A counter and a gauge that one driver shows of the same device: across drivers, numbers may mean different ones. */
static int flag_pair(struct wtl_result *result,
                     const struct wtl_result_channel *a,
                     const struct wtl_result_channel *b)
{
    if (is_gauge(a) || !is_gauge(b) || kind_of_part(a->channel.domain) == KINDS ||
        a->channel.domain != b->channel.domain || a->channel.index != b->channel.index ||
        a->channel.sub != b->channel.sub || strcmp(a->channel.sensor, b->channel.sensor) != 0 ||
        !is_known(result, b))
        return 0;
    double apart_j = fabs(a->summary.amount - b->summary.amount);
    double half_j = a->summary.amount_half + b->summary.amount_half;
    if (!(apart_j > room_j(half_j, fmax(a->summary.amount, b->summary.amount), true)))
        return 0;
    return wtl_result_flag(result, WTL_FLAG_CONTRADICTORY,
                           "%s counted %s J, but %s, of the same device, showed %s J: one of "
                           "them is wrong",
                           a->channel.name, WTL_IN_FIGURES(a->summary.amount, 4), b->channel.name,
                           WTL_IN_FIGURES(b->summary.amount, 4));
}

int wtl_contradiction_flag(struct wtl_result *result)
{
    int rc = 0;
    for (size_t i = 0; i < result->energy_count && rc == 0; i++) {
        const struct wtl_result_channel *one = &result->channels[i];
        if (!is_known(result, one))
            continue;
        for (int kind = 0; kind < KINDS && rc == 0; kind++)
            rc = flag_parts(result, one, kind);
        for (size_t k = 0; k < result->energy_count && rc == 0; k++)
            rc = flag_pair(result, one, &result->channels[k]);
    }
    return rc;
}
