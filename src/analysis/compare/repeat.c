/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Means and spreads over repeats: see repeat.h. A value that is unknown in one run is unknown in
 * the mean.
 */
#include "analysis/compare/repeat.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/matching.h"
#include "model/flag.h"

/* Scratch for one value per run. */
struct runs {
    const struct wtl_result *results;
    size_t n;
    double *values;
};

/* Over the runs' values of a member of struct wtl_result that is a double. */
static struct wtl_spread spread_at(const struct runs *runs, size_t member)
{
    for (size_t i = 0; i < runs->n; i++)
        memcpy(&runs->values[i], (const char *)&runs->results[i] + member, sizeof(double));
    return wtl_spread_of(runs->values, runs->n);
}
#define SPREAD(runs, member) spread_at(runs, offsetof(struct wtl_result, member))

/* Energy times time to that power; the mean of products is not the product of means. */
static struct wtl_spread spread_of_product(const struct runs *runs, int power)
{
    for (size_t i = 0; i < runs->n; i++)
        runs->values[i] = runs->results[i].energy.j * pow(runs->results[i].wall_time_s, power);
    return wtl_spread_of(runs->values, runs->n);
}

static const struct wtl_summary *summary_of(const struct wtl_result *result, const char *name)
{
    const struct wtl_result_channel *found = wtl_result_find(result, name);
    return found ? &found->summary : NULL;
}

/* At least so wide; what is unknown (NaN) stays. */
static void widen(struct wtl_spread *spread, double half)
{
    if (spread->ci95 < half)
        spread->ci95 = half;
}

/*
 * What one run leaves open may be the same in each, as when all of them begin at the same phase of a counter's ticks or of a
 * gauge's window: then the spread of runs does not tell it. The interval of their mean is at least that of one run, or, for
 * passes at shifted phases, that of their blocks.
 */
static void keep_resolution(struct wtl_repeat *repeat)
{
    double passes_j = repeat->mean.passes_half_j, time_s = repeat->wall_time_s.mean;
    double half_j = passes_j > 0 ? passes_j : repeat->mean.energy.half_j;
    for (size_t i = 0; i < repeat->mean.energy_count; i++) {
        const struct wtl_result_channel *c = &repeat->mean.channels[i];
        if (c->passes_half_j > 0) {
            repeat->channel_j[i].ci95 = c->passes_half_j;
            repeat->channel_w[i].ci95 = c->passes_half_j / time_s;
        } else {
            widen(&repeat->channel_j[i], c->summary.amount_half);
            widen(&repeat->channel_w[i], c->summary.amount_half / time_s);
        }
    }
    if (passes_j > 0) {
        repeat->energy_j.ci95 = passes_j;
        repeat->power_w.ci95 = passes_j / time_s;
    } else {
        widen(&repeat->energy_j, half_j);
        widen(&repeat->power_w, half_j / time_s);
    }
    widen(&repeat->edp_js, half_j * time_s);
    widen(&repeat->ed2p_js2, half_j * time_s * time_s);
}

/* One channel over all runs. */
static void merge_channel(const struct runs *runs,
                          struct wtl_result_channel *channel,
                          struct wtl_spread *ret_j,
                          struct wtl_spread *ret_w)
{
    const char *name = channel->channel.name;
    struct wtl_summary merged = channel->summary;
    double squares = 0;
    for (size_t i = 0; i < runs->n; i++) {
        const struct wtl_summary *one = summary_of(&runs->results[i], name);
        runs->values[i] = one ? one->amount : (double)NAN;
        squares += one ? one->amount_half * one->amount_half : (double)NAN;
        if (!one || i == 0)
            continue;
        merged.min_w = fmin(merged.min_w, one->min_w);
        merged.max_w = fmax(merged.max_w, one->max_w);
        merged.samples += one->samples;
        merged.stale += one->stale;
        merged.gaps += one->gaps;
        merged.gap_ns += one->gap_ns;
        merged.unknown_ns += one->unknown_ns;
        merged.gap_reasons |= one->gap_reasons;
    }
    *ret_j = wtl_spread_of(runs->values, runs->n);
    for (size_t i = 0; i < runs->n; i++) {
        const struct wtl_summary *one = summary_of(&runs->results[i], name);
        runs->values[i] = one ? one->mean_w : (double)NAN;
    }
    *ret_w = wtl_spread_of(runs->values, runs->n);
    merged.amount = ret_j->mean;
    merged.mean_w = ret_w->mean;
    merged.amount_half = sqrt(squares / (double)runs->n);
    channel->summary = merged;
}

/* The resolution is that of one run. */
static struct wtl_energy mean_energy(const struct runs *runs)
{
    struct wtl_energy_sum sum = {0};
    for (size_t i = 0; i < runs->n; i++)
        wtl_energy_add(&sum, &runs->results[i].energy);
    struct wtl_energy all = wtl_energy_sum_of(&sum, false);
    struct wtl_energy mean = wtl_energy_scaled(&all, 1 / (double)runs->n);
    mean.half_j *= sqrt((double)runs->n);
    mean.known_j = NAN;
    return mean;
}

static void merge_fields(const struct runs *runs, struct wtl_repeat *repeat)
{
    struct wtl_result *mean = &repeat->mean;
    repeat->wall_time_s = SPREAD(runs, wall_time_s);
    repeat->energy_j = SPREAD(runs, energy.j);
    repeat->power_w = SPREAD(runs, total_w);
    repeat->edp_js = spread_of_product(runs, 1);
    repeat->ed2p_js2 = spread_of_product(runs, 2);
    repeat->cpu_s = SPREAD(runs, cpu_s);
    mean->wall_time_s = repeat->wall_time_s.mean;
    mean->total_w = repeat->power_w.mean;
    mean->cpu_s = repeat->cpu_s.mean;
    mean->energy_share_j = SPREAD(runs, energy_share_j).mean;
    mean->others_share_j = SPREAD(runs, others_share_j).mean;
    mean->share_idle_j = SPREAD(runs, share_idle_j).mean;
    mean->unattributed_j = SPREAD(runs, unattributed_j).mean;
    mean->share_half_j = SPREAD(runs, share_half_j).mean;
    mean->gpu_share_j = SPREAD(runs, gpu_share_j).mean;
    mean->gpu_others_j = SPREAD(runs, gpu_others_j).mean;
    mean->gpu_idle_j = SPREAD(runs, gpu_idle_j).mean;
    mean->gpu_unattributed_j = SPREAD(runs, gpu_unattributed_j).mean;
    mean->above_idle_j = SPREAD(runs, above_idle_j).mean;
    mean->own_cpu_s = SPREAD(runs, own_cpu_s).mean;
    mean->own_j = SPREAD(runs, own_j).mean;
    mean->energy = mean_energy(runs);
    mean->start_monotonic_ns = mean->end_monotonic_ns = 0;
    for (size_t i = 1; i < runs->n; i++) {
        const struct wtl_result *one = &runs->results[i];
        if (mean->labels && (!one->labels || strcmp(mean->labels, one->labels) != 0))
            mean->labels = NULL; /* not of all runs */
        mean->max_rss_bytes = fmax(mean->max_rss_bytes, one->max_rss_bytes);
        mean->exit_code = mean->exit_code == 0 ? one->exit_code : mean->exit_code;
        if (one->share_rule < mean->share_rule) /* the weakest */
            mean->share_rule = one->share_rule;
        mean->missed += one->missed;
        if (one->total_unknown_ns > mean->total_unknown_ns)
            mean->total_unknown_ns = one->total_unknown_ns;
        mean->dropped += one->dropped;
        if (one->late_p99_ns > mean->late_p99_ns)
            mean->late_p99_ns = one->late_p99_ns;
        if (one->late_max_ns > mean->late_max_ns)
            mean->late_max_ns = one->late_max_ns;
    }
}

/* Totals of different kinds have no mean. */
static int refuse_mixture(const struct runs *runs, struct wtl_repeat *repeat)
{
    const struct wtl_spread unknown = {NAN, NAN, NAN};
    struct wtl_result *mean = &repeat->mean;
    char why[180] = "";
    size_t other = 0;
    for (size_t i = 1; i < runs->n; i++) {
        const struct wtl_total *total = &runs->results[i].total;
        if (total->count > 0 && (int)total->quality > (int)mean->total.quality)
            mean->total.quality = total->quality;
        if (!other &&
            wtl_matching_totals_differ(&runs->results[0], &runs->results[i], why, sizeof why))
            other = i;
    }
    if (!other)
        return 0;
    mean->energy = wtl_energy_unknown();
    mean->energy_share_j = mean->others_share_j = mean->share_idle_j = mean->unattributed_j = NAN;
    mean->share_half_j = (double)NAN;
    mean->gpu_share_j = mean->gpu_others_j = mean->gpu_idle_j = mean->gpu_unattributed_j = NAN;
    mean->total_w = mean->above_idle_j = mean->own_j = NAN;
    repeat->energy_j = repeat->power_w = repeat->edp_js = repeat->ed2p_js2 = unknown;
    return wtl_result_flag(mean, WTL_FLAG_MIXED_RUNS, "no mean energy: in runs 1 and %zu %s",
                           other + 1, why);
}

static bool is_from_passes(const struct wtl_result *mean)
{
    bool from = false;
    for (size_t i = 0; i < mean->energy_count; i++)
        from |= mean->channels[i].passes_half_j > 0;
    return from;
}

static int merge_flags(const struct runs *runs, struct wtl_result *mean)
{
    for (size_t i = 0; i < runs->n; i++) {
        for (size_t k = 0; k < runs->results[i].flag_count; k++) {
            const struct wtl_result_flag *flag = &runs->results[i].flags[k];
            if (is_from_passes(mean) && strcmp(flag->name, WTL_FLAG_PART_TIME) == 0)
                continue;
            int rc = wtl_result_flag(mean, flag->name, "%s", flag->text);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

int wtl_repeat_of(const struct wtl_result *results, size_t n, struct wtl_repeat *ret_repeat)
{
    struct wtl_repeat repeat = {.n = n, .mean = results[0]};
    size_t channels = repeat.mean.channel_count, energies = repeat.mean.energy_count;
    struct runs runs = {.results = results, .n = n, .values = malloc(n * sizeof *runs.values)};
    repeat.mean.text = NULL;
    repeat.mean.flags = NULL;
    repeat.mean.flag_count = 0;
    repeat.mean.channels = malloc((channels + 1) * sizeof *repeat.mean.channels);
    repeat.channel_j = malloc((energies + 1) * sizeof *repeat.channel_j);
    repeat.channel_w = malloc((energies + 1) * sizeof *repeat.channel_w);
    int rc = -ENOMEM;
    if (!runs.values || !repeat.mean.channels || !repeat.channel_j || !repeat.channel_w)
        goto out;
    if (channels)
        memcpy(repeat.mean.channels, results[0].channels, channels * sizeof *results[0].channels);
    for (size_t i = 0; i < energies; i++)
        merge_channel(&runs, &repeat.mean.channels[i], &repeat.channel_j[i], &repeat.channel_w[i]);
    merge_fields(&runs, &repeat);
    keep_resolution(&repeat);
    rc = refuse_mixture(&runs, &repeat);
    rc = rc < 0 ? rc : merge_flags(&runs, &repeat.mean);
out:
    free(runs.values);
    if (rc < 0)
        wtl_repeat_fini(&repeat);
    else
        *ret_repeat = repeat;
    return rc;
}

void wtl_repeat_fini(struct wtl_repeat *repeat)
{
    wtl_result_fini(&repeat->mean);
    free(repeat->channel_j);
    free(repeat->channel_w);
    *repeat = (struct wtl_repeat){0};
}
