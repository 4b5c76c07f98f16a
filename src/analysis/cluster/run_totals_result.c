/* SPDX-License-Identifier: BSD-3-Clause */
/* The totals of a run as a result, for every verb that works with results. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_totals.h"
#include "base/fail.h"
#include "model/flag.h"
#include "model/reading.h"

enum { NAMES = 120 };

static struct wtl_result_channel channel_of(const struct wtl_run_domain_sum *domain, bool estimated)
{
    const struct wtl_energy *sum = &domain->sum.energy;
    struct wtl_result_channel c = {.channel = {.sensor = "run",
                                               .domain = domain->domain,
                                               .sub = -1,
                                               .quantity = WATTLE_ENERGY,
                                               .kind = WATTLE_COUNTER,
                                               .quality = sum->quality,
                                               .flags = WATTLE_CHANNEL_PRIMARY,
                                               .scale = 1},
                                   .summary = {.amount = sum->j,
                                               .amount_half = sum->half_j,
                                               .mean_w = domain->sum.mean_w,
                                               .min_w = NAN,
                                               .max_w = NAN,
                                               .sd_w = NAN,
                                               .last_w = NAN},
                                   .known_j = isnan(sum->known_j) ? 0 : sum->known_j,
                                   .known_half_j = sum->known_half_j};
    if (domain->in_total && domain->estimated == estimated)
        c.channel.flags |= WATTLE_CHANNEL_IN_TOTAL;
    if (sum->simulated)
        c.channel.flags |= WATTLE_CHANNEL_SIMULATED;
    if (domain->estimated && !isnan(sum->low_j) && sum->j > sum->half_j) {
        c.channel.ratio_low = sum->low_j / (sum->j - sum->half_j);
        c.channel.ratio_high = sum->high_j / (sum->j + sum->half_j);
    }
    wtl_channel_set_name(&c.channel, NULL);
    return c;
}

static int fill_channels(const struct wtl_run_totals *totals,
                         bool estimated,
                         struct wtl_result *result)
{
    result->channels = calloc(totals->domain_count + 1, sizeof *result->channels);
    if (!result->channels)
        return -ENOMEM;
    /* A domain for which some nodes have an estimate appears twice; the estimate is not in the
     * sum. */
    for (size_t i = 0; i < totals->domain_count; i++) {
        struct wtl_result_channel c = channel_of(&totals->domains[i], estimated);
        if (wtl_result_find(result, c.channel.name)) {
            c.channel.index = 1;
            wtl_channel_set_name(&c.channel, NULL);
        }
        result->channels[result->channel_count++] = c;
    }
    result->energy_count = result->channel_count;
    return 0;
}

static void fill_total(const struct wtl_run_totals *totals, struct wtl_result *result)
{
    const struct wtl_run_sum *sum = wtl_run_totals_sum(totals);
    result->total.count = 0;
    for (size_t i = 0; i < result->channel_count; i++)
        result->total.count += (result->channels[i].channel.flags & WATTLE_CHANNEL_IN_TOTAL) != 0;
    if (sum->nodes > 0 && result->total.count == 0)
        result->total.count = 1; /* its content differs from node to node */
    result->total.quality = sum->energy.quality;
    (void)snprintf(result->total.contains, sizeof result->total.contains, "%zu node%s, each: %.90s",
                   sum->nodes, sum->nodes == 1 ? "" : "s",
                   totals->mixed ? "what its own total contains" : totals->contains);
    (void)snprintf(result->total.excludes, sizeof result->total.excludes, "%s", totals->excludes);
    result->energy = sum->energy;
    result->total_w = sum->mean_w;
}

static int fill_flags(const struct wtl_run *run,
                      const struct wtl_run_totals *totals,
                      struct wtl_result *result)
{
    int rc = 0;
    size_t refused = wtl_run_refused_count(run);
    if (refused > 0) {
        const struct wtl_run_refused *first = wtl_run_refused(run, 0);
        rc = wtl_result_flag(result, WTL_FLAG_LEFT_OUT, "%zu trace%s: %.60s: %.90s%s", refused,
                             refused == 1 ? "" : "s", first->path, first->why,
                             refused == 1 ? "" : " ..");
    }
    for (size_t i = 0; rc == 0 && i < totals->flags.count; i++) {
        const struct wtl_run_flag *flag = &totals->flags.items[i];
        const char *name = flag->flag.name, *text = flag->flag.text;
        if (!flag->first)
            rc = wtl_result_flag(result, name, "%s", text);
        else if (flag->nodes == 1)
            rc = wtl_result_flag(result, name, "%.40s: %.150s", flag->first, text);
        else
            rc = wtl_result_flag(result, name, "%zu nodes; %.40s: %.130s", flag->nodes, flag->first,
                                 text);
    }
    return rc;
}

int wtl_run_totals_result(const struct wtl_run *run,
                          const struct wtl_run_totals *totals,
                          const char *path,
                          struct wtl_result *ret_result)
{
    struct wtl_result result = wtl_result_unknown();
    const struct wtl_run_node *first = wtl_run_node(run, 0);
    size_t count = wtl_run_node_count(run);
    char host[NAMES];
    if (count > 1)
        (void)snprintf(host, sizeof host, "%zu nodes (%.40s .. %.40s)", count, first->name,
                       wtl_run_node(run, count - 1)->name);
    else
        (void)snprintf(host, sizeof host, "%.100s", first->name);
    const char *command = wtl_run_command_line(run);
    const struct wtl_result_text texts[] = {{command[0] ? command : NULL, &result.command},
                                            {"run", &result.target},
                                            {host, &result.host},
                                            {path, &result.trace}};
    bool estimated = wtl_run_totals_estimated(totals);
    int rc = wtl_result_texts(&result, texts, sizeof texts / sizeof *texts);
    rc = rc < 0 ? rc : fill_channels(totals, estimated, &result);
    if (rc == 0) {
        fill_total(totals, &result);
        result.wall_time_s = totals->wall_s;
        uint64_t residual_ns;
        if (wtl_run_alignment(run, &residual_ns) == WTL_ALIGNED_REALTIME)
            result.start_realtime_ns = (uint64_t)wtl_run_begin(run);
        for (size_t i = 0; i < count; i++) {
            uint64_t interval_ns = wtl_run_node(run, i)->row->interval_ns;
            result.interval_ns =
                interval_ns > result.interval_ns ? interval_ns : result.interval_ns;
        }
        rc = fill_flags(run, totals, &result);
    }
    if (rc < 0)
        wtl_result_fini(&result);
    else
        *ret_result = result;
    return rc;
}

int wtl_run_file_result(const char *path, struct wtl_result *ret_result, struct wattle_error *err)
{
    struct wtl_run *run = NULL;
    struct wtl_run_totals totals = {0};
    char *const words[] = {(char *)(uintptr_t)path};
    int rc = wtl_run_open(words, 1, NULL, &run, err);
    if (rc < 0)
        return rc;
    rc = wtl_run_totals_of(run, &totals, err);
    if (rc == 0 && (rc = wtl_run_totals_result(run, &totals, path, ret_result)) < 0)
        (void)wtl_no_memory_for(err, "%s", path);
    wtl_run_totals_fini(&totals);
    wtl_run_close(run);
    return rc;
}
