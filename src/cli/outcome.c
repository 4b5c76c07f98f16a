/* SPDX-License-Identifier: BSD-3-Clause */
/* From the session to the result: see outcome.h. */
#define _GNU_SOURCE
#include "cli/outcome.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/cputime.h"
#include "counters/flags.h"
#include "measure/judge.h"
#include "model/reading.h"
#include "model/share.h"
#include "record/replay.h"
#include "sensors/estimate.h"

void wtl_outcome_before(struct wtl_outcome *outcome, const struct wtl_world *world)
{
    wtl_governor_read(world, &outcome->before);
}

static int fill_texts(const struct wtl_outcome *outcome,
                      const struct wtl_measure_options *options,
                      struct wtl_result *result)
{
    const struct wtl_governor *governor = &outcome->before;
    struct utsname host;
    char target[4160];
    bool named = options->world->ops->uname(options->world, &host) == 0;
    if (options->argv)
        (void)snprintf(target, sizeof target, "command");
    else if (options->pid)
        (void)snprintf(target, sizeof target, "pid %d", (int)options->pid);
    else if (options->cgroup)
        (void)snprintf(target, sizeof target, "cgroup %s", options->cgroup);
    else
        (void)snprintf(target, sizeof target, "machine");
    const struct wtl_result_text texts[] = {
        {options->command_line, &result->command},
        {options->trace_path, &result->trace},
        {options->work_unit, &result->work_unit},
        {options->labels && options->labels[0] ? options->labels : NULL, &result->labels},
        {target, &result->target},
        {options->node, &result->node},
        {governor->governor[0] ? governor->governor : NULL, &result->governor},
        {governor->epp[0] ? governor->epp : NULL, &result->epp},
        {options->node ? options->node
         : named       ? host.nodename
                       : NULL,
         &result->host}};
    return wtl_result_texts(result, texts, sizeof texts / sizeof *texts);
}

/* While it runs, a gap that is still open has not been counted: the time since the last good sample,
 * where that is longer than pace and intake explain. */
static void count_silence(const struct wtl_measure_options *options,
                          const struct wtl_result *result,
                          struct wtl_result_channel *c)
{
    static const uint64_t patience_ns = 500 * 1000 * 1000;
    uint64_t pace_ns =
        c->channel.refresh_ns > options->interval_ns ? c->channel.refresh_ns : options->interval_ns;
    uint64_t last_ns = c->summary.last_ns > result->start_monotonic_ns ? c->summary.last_ns
                                                                       : result->start_monotonic_ns;
    if (!wtl_channel_is_energy(&c->channel) ||
        result->end_monotonic_ns < last_ns + 3 * pace_ns + patience_ns)
        return;
    c->summary.unknown_ns += result->end_monotonic_ns - last_ns;
}

static int fill_channels(const struct wtl_outcome *outcome,
                         const struct wtl_measure_options *options,
                         const struct wtl_selection *selection,
                         struct wtl_session *session,
                         struct wtl_result *result)
{
    size_t count = session ? selection->recorded_count : 0;
    result->channels = calloc(count + 1, sizeof *result->channels);
    if (!result->channels)
        return -ENOMEM;
    result->channel_count = count;
    for (size_t i = 0; i < count; i++) {
        struct wtl_result_channel *c = &result->channels[i];
        c->channel = selection->channels[i];
        wtl_session_summary(session, i, &c->summary);
        if (outcome->going_on)
            count_silence(options, result, c);
    }
    return 0;
}

/* What a counter of CPU time gained in the window; NaN when it is not there. */
static double cpu_time_of(const struct wtl_result *result, const char *name)
{
    const struct wtl_result_channel *found = wtl_result_find(result, name);
    return found ? found->summary.energy_j : (double)NAN;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void fill_process(const struct wtl_measure_options *options,
                         const struct wtl_child *child,
                         struct wtl_result *result)
{
    const struct rusage *usage = &child->usage;
    result->machine_cpu_s = cpu_time_of(result, WTL_CPUTIME_MACHINE);
    result->cpu_s = cpu_time_of(result, options->cgroup ? WTL_CPUTIME_CGROUP : WTL_CPUTIME_TREE);
    if (!child->ended)
        return;
    if (options->delay_ns == 0)
        result->cpu_s = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime);
    result->max_rss_bytes = (double)usage->ru_maxrss * 1024;
}

double wtl_outcome_idle_w(const struct wtl_selection *selection, double *ret_cpus)
{
    double idle_w = NAN;
    unsigned cpus = 0;
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_source *source = &selection->offers[i].source;
        if (selection->offers[i].status == 0 && wtl_estimate_idle(source, &idle_w, &cpus) == 0)
            *ret_cpus = cpus;
    }
    return idle_w;
}

static void fill_share(const struct wtl_measure_options *options,
                       const struct wtl_selection *selection,
                       struct wtl_result *result)
{
    long online = options->world->ops->sysconf(options->world, _SC_NPROCESSORS_ONLN);
    double cpus = online > 0 ? (double)online : 1;
    struct wtl_share share;
    struct wtl_share_input input = {.energy_j = result->energy.j,
                                    .idle_w = wtl_outcome_idle_w(selection, &cpus),
                                    .window_s = result->wall_time_s,
                                    .machine_s = result->machine_cpu_s,
                                    .tree_s = result->cpu_s,
                                    .quality = result->total.quality};
    input.cpus = cpus;
    if (wtl_share_compute(&input, &share) == 0) {
        result->energy_share_j = share.energy_j;
        result->share_quality = share.quality;
    }
    input.tree_s = result->own_cpu_s;
    if (wtl_share_compute(&input, &share) == 0)
        result->own_j = share.energy_j;
}

static int fill_flags(const struct wtl_outcome *outcome,
                      const struct wtl_measure_options *options,
                      const struct wtl_selection *selection,
                      struct wtl_session *session,
                      const struct wtl_session_stats *stats,
                      struct wtl_result *result)
{
    struct wtl_governor after = outcome->before;
    if (!outcome->going_on)
        wtl_governor_read(options->world, &after);
    bool has_tree = options->argv || options->pid || options->cgroup;
    struct wtl_flag_window window = {.tree_cpu_s = has_tree ? result->cpu_s : (double)NAN,
                                     .own_cpu_s = result->own_cpu_s,
                                     .edges_lost = wtl_judge_edges_lost(selection, session),
                                     .suspended_ns = stats->suspended_ns,
                                     .before = &outcome->before,
                                     .after = &after};
    return wtl_flags_judge_result(&window, result);
}

int wtl_outcome_fill(const struct wtl_outcome *outcome,
                     const struct wtl_measure_options *options,
                     const struct wtl_selection *selection,
                     struct wtl_session *session,
                     const struct wtl_child *child,
                     struct wtl_result *result)
{
    struct wtl_session_stats stats = {.sampler_cpu = -1};
    int rc = fill_texts(outcome, options, result);
    rc = rc < 0 ? rc : fill_channels(outcome, options, selection, session, result);
    if (rc < 0)
        return rc;
    if (session)
        wtl_session_stats(session, &stats);
    result->exit_code = child->ended ? wtl_child_exit_code(child) : -1;
    result->interval_ns = stats.interval_ns;
    result->late_p50_ns = stats.late_p50_ns;
    result->late_p99_ns = stats.late_p99_ns;
    result->late_max_ns = stats.late_max_ns;
    result->missed = stats.missed;
    result->dropped = stats.dropped;
    result->sampler_cpu = stats.sampler_cpu;
    result->work = options->work;
    result->turbo = outcome->before.turbo;
    result->min_khz = outcome->before.min_khz;
    result->max_khz = outcome->before.max_khz;
    rc = wtl_result_total(result);
    if (rc < 0)
        return rc;
    fill_process(options, child, result);
    fill_share(options, selection, result);
    const char *replayed = wtl_replay_of(selection);
    if (replayed)
        rc = wtl_result_flag(result, "REPLAYED",
                             "the sensors are a recording (%.100s), not this machine's", replayed);
    return rc < 0 ? rc : fill_flags(outcome, options, selection, session, &stats, result);
}
