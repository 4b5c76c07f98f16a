/* SPDX-License-Identifier: BSD-3-Clause */
/* What two results must have in common: see matching.h. */
#include "analysis/compare/matching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/figures.h"
#include "model/bound.h"
#include "model/gap.h"
#include "model/result.h"

/* Limits are read back with rounding: smaller differences do not count. */
static const double limit_step_w = 0.5;

static const double open_part = 0.25; /* of an energy: a greater interval makes it no value */

static bool texts_differ(const char *what, const char *a, const char *b, char *buf, size_t n)
{
    if (a == b || (a && b && strcmp(a, b) == 0))
        return false;
    (void)snprintf(buf, n, "the %s differs, \"%.60s\" and \"%.60s\"", what, a ? a : "unknown",
                   b ? b : "unknown");
    return true;
}

static bool numbers_differ(const char *what, uint64_t a, uint64_t b, char *buf, size_t n)
{
    if (a == b)
        return false;
    (void)snprintf(buf, n, "the %s differs, %llu and %llu kHz", what, (unsigned long long)a,
                   (unsigned long long)b);
    return true;
}

static const char *turbo_word(int turbo)
{
    return turbo < 0 ? "unknown" : turbo ? "on" : "off";
}

static bool frequencies_differ(const struct wtl_result *a,
                               const struct wtl_result *b,
                               char *buf,
                               size_t n)
{
    return texts_differ("governor", a->governor, b->governor, buf, n) ||
           texts_differ("energy performance preference", a->epp, b->epp, buf, n) ||
           texts_differ("turbo", turbo_word(a->turbo), turbo_word(b->turbo), buf, n) ||
           numbers_differ("minimum frequency", a->min_khz, b->min_khz, buf, n) ||
           numbers_differ("maximum frequency", a->max_khz, b->max_khz, buf, n);
}

/* A limit unknown in one of them does not count as different: sensors are compared by the total. */
static bool limits_differ(const struct wtl_result *a,
                          const struct wtl_result *b,
                          char *buf,
                          size_t n)
{
    for (size_t i = a->energy_count; i < a->channel_count; i++) {
        const struct wtl_result_channel *limit = &a->channels[i];
        if (limit->channel.quantity != WATTLE_POWER_LIMIT)
            continue;
        const struct wtl_result_channel *other = wtl_result_find(b, limit->channel.name);
        double from = limit->summary.mean_w;
        double to = other ? other->summary.mean_w : (double)NAN;
        if (!(fabs(to - from) > limit_step_w))
            continue;
        (void)snprintf(buf, n, "the power limit %.40s differs, %.0f W and %.0f W",
                       limit->channel.label[0] ? limit->channel.label : limit->channel.name, from,
                       to);
        return true;
    }
    return false;
}

static const char *kind_of(const struct wtl_result *result)
{
    if (result->total.count == 0)
        return "unknown";
    return wtl_result_is_simulated(result) ? "simulated"
                                           : wattle_quality_name(result->total.quality);
}

bool wtl_matching_totals_differ(const struct wtl_result *a,
                                const struct wtl_result *b,
                                char *buf,
                                size_t n)
{
    bool quality = a->total.count > 0 && b->total.count > 0 && a->total.quality != b->total.quality;
    if (quality && wtl_result_is_simulated(a) && wtl_result_is_simulated(b))
        return texts_differ("quality of the energy", wattle_quality_name(a->total.quality),
                            wattle_quality_name(b->total.quality), buf, n);
    return texts_differ("quality of the energy", kind_of(a), kind_of(b), buf, n) ||
           texts_differ("content of the total", a->total.contains, b->total.contains, buf, n);
}

bool wtl_matching_contents_differ(const struct wtl_result *a,
                                  size_t a_n,
                                  const struct wtl_result *b,
                                  size_t b_n,
                                  const char *ret_two[2])
{
    const char *first = NULL;
    for (size_t i = 0; i < a_n + b_n; i++) {
        const struct wtl_total *total = i < a_n ? &a[i].total : &b[i - a_n].total;
        if (total->count == 0)
            continue;
        first = first ? first : total->contains;
        if (strcmp(first, total->contains) == 0)
            continue;
        ret_two[0] = first;
        ret_two[1] = total->contains;
        return true;
    }
    return false;
}

bool wtl_matching_cut_off(const struct wtl_result *result, char *buf, size_t n)
{
    if (result->cut_off)
        (void)snprintf(buf, n,
                       "the measurement of %.100s was cut off, so its time is not that of the run",
                       result->trace ? result->trace : "a run");
    return result->cut_off;
}

bool wtl_matching_incomplete(const struct wtl_result *result, char *buf, size_t n)
{
    double missing_s = (double)result->total_unknown_ns * 1e-9;
    if (!wtl_gap_matters(result->total_unknown_ns, result->wall_time_s))
        return false;
    (void)snprintf(buf, n, "the energy of %s s of a run is missing", WTL_IN_FIGURES(missing_s, 3));
    return true;
}

bool wtl_matching_average(const struct wtl_result_channel *c, double wall_s, char *buf, size_t n)
{
    const struct wattle_channel *channel = &c->channel;
    double seen = wtl_seen_part(channel);
    if (channel->kind != WATTLE_WINDOW_AVERAGE)
        return false;
    if (seen < 1)
        (void)snprintf(buf, n, "%s sees %s %% of the time, and may miss the difference",
                       channel->name, WTL_IN_FIGURES(100 * seen, 2));
    else if (c->summary.amount > 0 && c->summary.amount_half > open_part * c->summary.amount)
        (void)snprintf(buf, n, "%s averages %s s, too long for runs of %s s", channel->name,
                       WTL_IN_FIGURES(1e-9 * (double)channel->window_ns, 3),
                       WTL_IN_FIGURES(wall_s, 3));
    else
        return false;
    return true;
}

bool wtl_matching_averages(const struct wtl_result *result, char *buf, size_t n)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.flags & WATTLE_CHANNEL_IN_TOTAL &&
            wtl_matching_average(c, result->wall_time_s, buf, n))
            return true;
    }
    return false;
}

/* Of the total: both measured, whole, and of the same. */
static bool totals_differ(const struct wtl_result *a,
                          const struct wtl_result *b,
                          char *buf,
                          size_t n)
{
    bool known = a->total.count > 0 && b->total.count > 0;
    bool estimate =
        known && (a->total.quality == WATTLE_ESTIMATED || b->total.quality == WATTLE_ESTIMATED);
    if (!known)
        (void)snprintf(buf, n, "no sensor measures energy");
    else if (estimate)
        (void)snprintf(
            buf, n,
            "the energy is estimated from the load, which cannot tell two programs apart; "
            "\"wattle sensors\" lists what measures");
    else if (wtl_result_is_simulated(a) != wtl_result_is_simulated(b))
        (void)snprintf(buf, n, "some runs are simulated and others are not");
    return !known || estimate || wtl_result_is_simulated(a) != wtl_result_is_simulated(b) ||
           wtl_matching_incomplete(a, buf, n) || wtl_matching_incomplete(b, buf, n) ||
           wtl_matching_averages(a, buf, n) || wtl_matching_averages(b, buf, n) ||
           texts_differ("content of the total", a->total.contains, b->total.contains, buf, n);
}

bool wtl_matching_differ(const struct wtl_result *a,
                         const struct wtl_result *b,
                         enum wtl_metric metric,
                         char *buf,
                         size_t n)
{
    if (!a->host || !b->host) {
        (void)snprintf(buf, n, "the node of some runs is unknown");
        return true;
    }
    return (metric != WTL_METRIC_TIME && totals_differ(a, b, buf, n)) ||
           texts_differ("node", a->host, b->host, buf, n) || frequencies_differ(a, b, buf, n) ||
           limits_differ(a, b, buf, n);
}

bool wtl_matching_forbids(const struct wtl_result *results,
                          size_t count,
                          enum wtl_metric metric,
                          char *buf,
                          size_t n)
{
    for (size_t i = 0; i < count; i++) {
        if (wtl_matching_cut_off(&results[i], buf, n) ||
            wtl_matching_differ(&results[0], &results[i], metric, buf, n))
            return true;
    }
    return false;
}
