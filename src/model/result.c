/* SPDX-License-Identifier: BSD-3-Clause */
/* Computed once for all outputs of a result: the order of its channels, its total with interval, and its
 * flags. */
#define _POSIX_C_SOURCE 200809L
#include "model/result.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/text/figures.h"
#include "model/bound.h"
#include "model/flag.h"
#include "model/gauge/quantum.h"
#include "model/quality.h"
#include "model/reading.h"

struct wtl_result wtl_result_unknown(void)
{
    return (struct wtl_result){.exit_code = -1,
                               .wall_time_s = NAN,
                               .energy = wtl_energy_unknown(),
                               .total_w = NAN,
                               .cpu_s = NAN,
                               .machine_cpu_s = NAN,
                               .max_rss_bytes = NAN,
                               .energy_share_j = NAN,
                               .others_share_j = NAN,
                               .share_idle_j = NAN,
                               .unattributed_j = NAN,
                               .share_half_j = NAN,
                               .gpu_share_j = NAN,
                               .gpu_others_j = NAN,
                               .gpu_idle_j = NAN,
                               .gpu_unattributed_j = NAN,
                               .idle_before_w = NAN,
                               .idle_after_w = NAN,
                               .above_idle_j = NAN,
                               .work = NAN,
                               .asked_low_hz = NAN,
                               .asked_high_hz = NAN,
                               .own_cpu_s = NAN,
                               .own_j = NAN,
                               .turbo = -1,
                               .sampler_cpu = -1};
}

int wtl_result_texts(struct wtl_result *result, const struct wtl_result_text *texts, size_t n)
{
    size_t size = 1;
    for (size_t i = 0; i < n; i++)
        size += texts[i].text ? strlen(texts[i].text) + 1 : 0;
    char *p = result->text = malloc(size);
    if (!p)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!texts[i].text)
            continue;
        *texts[i].place = p;
        p = stpcpy(p, texts[i].text) + 1;
    }
    return 0;
}

const struct wtl_result_channel *wtl_result_find(const struct wtl_result *result, const char *name)
{
    for (size_t i = 0; i < result->channel_count; i++) {
        if (strcmp(result->channels[i].channel.name, name) == 0)
            return &result->channels[i];
    }
    return NULL;
}

/* 0 = primary energy, 1 = other energy, 2 = activity. */
static int rank_of(const struct wtl_result_channel *channel)
{
    if (!wtl_channel_is_energy(&channel->channel))
        return 2;
    return channel->channel.flags & WATTLE_CHANNEL_PRIMARY ? 0 : 1;
}

/* Sort by rank, otherwise stable: insertion sort, since the count is small. */
static void sort_channels(struct wtl_result *result)
{
    for (size_t i = 1; i < result->channel_count; i++) {
        struct wtl_result_channel moving = result->channels[i];
        size_t at = i;
        while (at > 0 && rank_of(&result->channels[at - 1]) > rank_of(&moving)) {
            result->channels[at] = result->channels[at - 1];
            at--;
        }
        result->channels[at] = moving;
    }
}

/* A device that was asleep from before its first reading to the end of the window: it is not a part that failed. */
static bool was_asleep(const struct wtl_result_channel *c)
{
    return c->channel.flags & WATTLE_CHANNEL_ASLEEP && c->summary.samples == 0;
}

static int choose(struct wtl_result *result)
{
    size_t n = result->energy_count;
    struct wattle_channel *channels = calloc(n + 1, sizeof *channels);
    if (!channels)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        channels[i] = result->channels[i].channel;
        if (was_asleep(&result->channels[i]))
            channels[i].flags &= ~(unsigned)WATTLE_CHANNEL_PRIMARY;
    }
    wtl_total_choose(channels, n, &result->total);
    for (size_t i = 0; i < n; i++) {
        unsigned *flags = &result->channels[i].channel.flags;
        *flags &= ~(unsigned)WATTLE_CHANNEL_IN_TOTAL;
        *flags |= channels[i].flags & WATTLE_CHANNEL_IN_TOTAL;
    }
    free(channels);
    return 0;
}

struct wtl_energy wtl_result_energy(const struct wtl_result_channel *channel)
{
    struct wtl_energy energy =
        wtl_energy_on(&channel->channel, channel->summary.amount, channel->summary.amount_half);
    energy.known_j = channel->known_j > 0 ? channel->known_j : (double)NAN;
    energy.known_half_j = channel->known_j > 0 ? channel->known_half_j : (double)NAN;
    return energy;
}

/* Flag energies that leave out time, either those in the total or the others that are printed: one flag
 * that lists them all, or how many there are. */
static int flag_unknown(struct wtl_result *result, bool inside)
{
    char names[160] = "", more[40] = "";
    size_t count = 0, named = 0, used = 0;
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        size_t n = strlen(c->channel.name);
        if (!!(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL) != inside || c->summary.unknown_ns == 0)
            continue;
        if (c->summary.unknown_ns > longest_ns)
            longest_ns = c->summary.unknown_ns;
        if (used + n + 3 < sizeof names && named == count) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", named ? ", " : "",
                                     c->channel.name);
            named++;
        }
        count++;
    }
    if (count == 0)
        return 0;
    if (count > named)
        (void)snprintf(more, sizeof more, "%s%zu others", named ? " and " : "", count - named);
    const char *up_to = count > 1 ? "up to " : "";
    double longest_s = (double)longest_ns * 1e-9;
    if (inside)
        return wtl_result_flag(result, WTL_FLAG_INCOMPLETE,
                               "the total lacks the energy of %s%s s of %s%s", up_to,
                               WTL_IN_FIGURES(longest_s, 3), names, more);
    return wtl_result_flag(result, WTL_FLAG_PARTIAL,
                           "%s%s, not in the total, lack%s the energy of %s%s s", names, more,
                           count > 1 ? "" : "s", up_to, WTL_IN_FIGURES(longest_s, 3));
}

/* Flag energies of gauges that see a part of the time only: in the rest of it the power may have been any. */
static int flag_part_time(struct wtl_result *result)
{
    const struct wtl_result_channel *first = NULL;
    char more[40] = "";
    size_t count = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (wtl_seen_part(&c->channel) >= 1)
            continue;
        bool is_summed = c->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
        first =
            first && !(is_summed && !(first->channel.flags & WATTLE_CHANNEL_IN_TOTAL)) ? first : c;
        count++;
    }
    if (!first)
        return 0;
    if (count > 1)
        (void)snprintf(more, sizeof more, " (and %zu more)", count - 1);
    bool known = isfinite(first->summary.amount);
    /* A gauge beside a counter is not in the total: passes do without it. */
    bool is_summed = first->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
    return wtl_result_flag(result, WTL_FLAG_PART_TIME,
                           "%s%s sees %s %% of the time: its energy is %s%s", first->channel.name,
                           more, WTL_IN_FIGURES(100 * wtl_seen_part(&first->channel), 2),
                           known ? "not known better than its interval" : "not known",
                           is_summed ? "; \"wattle run --passes\" repeats a command to know it"
                                     : "; the total does not contain it");
}

/* Whether a gauge has shown the same value so often that a power which varies a little would have shown another one. */
static bool has_one_value(const struct wtl_result_channel *c)
{
    enum { OFTEN = 10 };
    const double rounding = 1e-9;
    const struct wtl_summary *s = &c->summary;
    return c->channel.kind != WATTLE_COUNTER && c->channel.quantity == WATTLE_POWER &&
           c->channel.quality == WATTLE_MEASURED && s->samples >= OFTEN &&
           s->first_value == s->last_value && s->max_w - s->min_w <= rounding * s->max_w;
}

/* Flag powers in the total whose steps were not seen and may be coarser than their intervals have it. */
static int flag_steps(struct wtl_result *result)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        double step_w = c->channel.flags & WATTLE_CHANNEL_IN_TOTAL && has_one_value(c)
                            ? wtl_quantum_coarsest_w(&c->channel, c->summary.first_value)
                            : 0;
        if (step_w > 0) /* one is told for all */
            return wtl_result_flag(
                result, WTL_FLAG_STEP_UNKNOWN,
                "%s has shown %s W in each of %llu readings: if it shows steps of %s W, as others "
                "do, "
                "it can be off by half of one, which its interval does not contain",
                c->channel.name, WTL_IN_FIGURES(c->summary.mean_w, 6),
                (unsigned long long)c->summary.samples, WTL_IN_FIGURES(step_w, 2));
    }
    return 0;
}

static int add_up(struct wtl_result *result)
{
    struct wtl_energy_sum sum = {0};
    result->total_unknown_ns = 0;
    result->total_w = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (!(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        const struct wtl_energy energy = wtl_result_energy(c);
        wtl_energy_add(&sum, &energy);
        result->total_w += c->summary.mean_w;
        if (c->summary.unknown_ns > result->total_unknown_ns)
            result->total_unknown_ns = c->summary.unknown_ns;
    }
    result->energy = wtl_energy_sum_of(&sum, false);
    return flag_unknown(result, true);
}

int wtl_result_flag_corrected(struct wtl_result *result, double *told_j)
{
    double corrected_j = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.flags & WATTLE_CHANNEL_IN_TOTAL && c->channel.quantity == WATTLE_ENERGY)
            corrected_j += c->summary.taken_back;
    }
    double more_j = corrected_j - *told_j;
    *told_j = corrected_j;
    return more_j > 0 ? wtl_result_flag(result, WTL_FLAG_CORRECTED,
                                        "lines before had %s J that are no energy of the total: "
                                        "readings have shown it since",
                                        WTL_IN_FIGURES(more_j, 3))
                      : 0;
}

uint64_t wtl_result_known_ns(const struct wtl_result *result,
                             const struct wtl_result_channel *channel)
{
    uint64_t start_ns = result->start_monotonic_ns, last_ns = channel->summary.last_ns;
    return last_ns > start_ns ? last_ns : start_ns;
}

bool wtl_result_is_silent(const struct wtl_result *result,
                          const struct wtl_result_channel *channel,
                          uint64_t interval_ns)
{
    static const uint64_t patience_ns = 500 * 1000 * 1000;
    uint64_t refresh_ns = channel->channel.refresh_ns;
    uint64_t pace_ns = refresh_ns > interval_ns ? refresh_ns : interval_ns;
    return wtl_channel_is_energy(&channel->channel) &&
           result->end_monotonic_ns >=
               wtl_result_known_ns(result, channel) + 3 * pace_ns + patience_ns;
}

uint64_t wtl_result_common_ns(const struct wtl_result *result, uint64_t interval_ns)
{
    uint64_t common_ns = result->end_monotonic_ns;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        uint64_t known_ns = wtl_result_known_ns(result, c);
        if (c->channel.flags & WATTLE_CHANNEL_IN_TOTAL && known_ns < common_ns &&
            !wtl_result_is_silent(result, c, interval_ns))
            common_ns = known_ns;
    }
    return common_ns;
}

/* Add the power of a channel from one time to another to its interval, and take it off if that is in the past. */
static struct wtl_energy moved(const struct wtl_result_channel *channel,
                               uint64_t from_ns,
                               uint64_t to_ns)
{
    struct wtl_energy energy = wtl_result_energy(channel);
    double part_j = channel->summary.mean_w * (double)(int64_t)(to_ns - from_ns) * 1e-9;
    if (part_j < 0) {
        energy.j += part_j;
        energy.low_j += part_j;
    } else {
        energy.high_j += part_j;
    }
    energy.half_j += fabs(part_j);
    return energy;
}

struct wtl_energy wtl_result_energy_at(const struct wtl_result *result, uint64_t time_ns)
{
    struct wtl_energy_sum sum = {0};
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (!(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        bool silent = wtl_result_is_silent(result, c, result->interval_ns);
        const struct wtl_energy energy =
            silent ? wtl_result_energy(c) : moved(c, wtl_result_known_ns(result, c), time_ns);
        wtl_energy_add(&sum, &energy);
    }
    return wtl_energy_sum_of(&sum, false);
}

int wtl_result_total(struct wtl_result *result)
{
    sort_channels(result);
    result->energy_count = 0;
    while (result->energy_count < result->channel_count &&
           wtl_channel_is_energy(&result->channels[result->energy_count].channel))
        result->energy_count++;
    result->energy = wtl_energy_unknown();
    result->total_w = NAN;
    int rc = choose(result);
    if (rc == 0 && result->total.count > 0)
        rc = add_up(result);
    rc = rc < 0 ? rc : flag_part_time(result);
    rc = rc < 0 ? rc : flag_steps(result);
    return rc < 0 ? rc : flag_unknown(result, false);
}

int wtl_result_total_named(struct wtl_result *result, const char *name, struct wattle_error *err)
{
    size_t n = result->channel_count;
    struct wattle_channel *channels = calloc(n + 1, sizeof *channels);
    if (!channels)
        return wtl_no_memory(err);
    for (size_t i = 0; i < n; i++)
        channels[i] = result->channels[i].channel;
    int rc = wtl_total_choose_named(channels, n, name, &result->total, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        result->channels[i].channel.flags = channels[i].flags;
    free(channels);
    if (rc < 0)
        return rc;
    rc = add_up(result);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

int wtl_result_flags_add(struct wtl_result_flag **flags,
                         size_t *count,
                         const char *name,
                         const char *format,
                         va_list args)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp((*flags)[i].name, name) == 0)
            return 0;
    }
    size_t room = *count, at = *count;
    if (wtl_reserve(flags, &room, at + 1, sizeof **flags) < 0)
        return -ENOMEM;
    (*count)++;
    for (; at > 0 && wtl_flag_rank((*flags)[at - 1].name) > wtl_flag_rank(name); at--)
        (*flags)[at] = (*flags)[at - 1];
    struct wtl_result_flag *flag = &(*flags)[at];
    (void)snprintf(flag->name, sizeof flag->name, "%s", name);
    (void)vsnprintf(flag->text, sizeof flag->text, format, args); /* truncated when too long */
    return 0;
}

int wtl_result_flag(struct wtl_result *result, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = wtl_result_flags_add(&result->flags, &result->flag_count, name, format, args);
    va_end(args);
    return rc;
}

bool wtl_result_has_flag(const struct wtl_result *result, const char *name)
{
    for (size_t i = 0; i < result->flag_count; i++)
        if (strcmp(result->flags[i].name, name) == 0)
            return true;
    return false;
}

void wtl_result_fini(struct wtl_result *result)
{
    free(result->channels);
    free(result->flags);
    free(result->text);
    *result = (struct wtl_result){0};
}

bool wtl_result_is_simulated(const struct wtl_result *result)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        if (wtl_channel_is_simulated(&result->channels[i].channel))
            return true;
    }
    return false;
}

const char *wtl_result_quality_word(const struct wtl_result *result)
{
    return wtl_quality_word(result->total.quality, wtl_result_is_simulated(result));
}

bool wtl_results_quality(const struct wtl_result *results,
                         size_t count,
                         enum wattle_quality *ret_quality,
                         bool *ret_simulated)
{
    enum wattle_quality weakest = WATTLE_MEASURED;
    bool known = false, simulated = false;
    for (size_t i = 0; i < count; i++) {
        if (results[i].total.count == 0)
            continue;
        known = true;
        weakest = results[i].total.quality > weakest ? results[i].total.quality : weakest;
        simulated |= wtl_result_is_simulated(&results[i]);
    }
    if (known) {
        *ret_quality = weakest;
        *ret_simulated = simulated;
    }
    return known;
}

double wtl_result_frequency(const struct wtl_result *result, size_t *ret_cores)
{
    double sum = 0;
    size_t cores = 0;
    for (size_t i = result->energy_count; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.quantity != WATTLE_FREQUENCY || c->channel.domain != WATTLE_DOMAIN_CORE ||
            isnan(c->summary.mean_w))
            continue;
        sum += c->summary.mean_w;
        cores++;
    }
    if (ret_cores)
        *ret_cores = cores;
    return cores > 0 ? sum / (double)cores : (double)NAN;
}

static bool is_package(const struct wtl_result_channel *c)
{
    return c->channel.domain == WATTLE_DOMAIN_PACKAGE &&
           c->channel.flags & WATTLE_CHANNEL_PRIMARY && c->channel.quality != WATTLE_ESTIMATED;
}

double wtl_result_package_power(const struct wtl_result *result, size_t *ret_packages)
{
    double sum = 0;
    size_t packages = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (!is_package(c))
            continue;
        bool first = true; /* of its dies */
        for (size_t k = 0; k < i; k++)
            first &= !is_package(&result->channels[k]) ||
                     result->channels[k].channel.index != c->channel.index;
        sum += c->summary.mean_w;
        packages += first;
    }
    if (ret_packages)
        *ret_packages = packages;
    return packages > 0 ? sum / (double)packages : (double)NAN;
}
