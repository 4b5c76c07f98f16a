/* SPDX-License-Identifier: BSD-3-Clause */
/* From session to result: see outcome.h. */
#define _GNU_SOURCE
#include "measure/outcome.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/usage.h"
#include "counters/columns/counters.h"
#include "counters/cputime.h"
#include "counters/flags.h"
#include "measure/counted.h"
#include "measure/measurement.h"
#include "measure/provenance.h"
#include "measure/shares.h"
#include "model/contradiction/contradiction.h"
#include "model/flag.h"
#include "model/reading.h"
#include "record/replay.h"

#define UNCHECKED "unknown whether other processes used the machine: %s"

void wtl_outcome_unchecked(struct wtl_trace_writer *writer, const char *why)
{
    char text[200];
    (void)snprintf(text, sizeof text, UNCHECKED, why);
    wtl_provenance_flag(writer, WTL_FLAG_NOT_CHECKED, text);
}

static int fill_texts(const struct wtl_measurement *m, struct wtl_result *result)
{
    const struct wtl_measurement_options *o = &m->options;
    struct utsname host;
    char target[4160], control[WTL_CONTROL_TEXT];
    wtl_measurement_control(o, control, &result->asked_low_hz, &result->asked_high_hz);
    bool named = o->world->ops->uname(o->world, &host) == 0;
    if (o->target.inherit)
        (void)snprintf(target, sizeof target, "command");
    else if (o->target.pid)
        (void)snprintf(target, sizeof target, "pid %d", (int)o->target.pid);
    else if (o->target.cgroup)
        (void)snprintf(target, sizeof target, "cgroup %s", o->target.cgroup);
    else
        (void)snprintf(target, sizeof target, "%s", o->target_name ? o->target_name : "machine");
    const struct wtl_result_text texts[] = {
        {o->command_line, &result->command},
        {m->trace.path, &result->trace},
        {o->work_unit, &result->work_unit},
        {o->tasks, &result->tasks},
        {o->labels && o->labels[0] ? o->labels : NULL, &result->labels},
        {target, &result->target},
        {control[0] ? control : NULL, &result->control},
        {o->node, &result->node},
        {m->before.governor[0] ? m->before.governor : NULL, &result->governor},
        {m->before.epp[0] ? m->before.epp : NULL, &result->epp},
        {o->node ? o->node
         : named ? host.nodename
                 : NULL,
         &result->host}};
    return wtl_result_texts(result, texts, sizeof texts / sizeof *texts);
}

/* During the run, a gap that is still open is not counted yet. */
static void count_silence(uint64_t interval_ns,
                          const struct wtl_result *result,
                          struct wtl_result_channel *c)
{
    if (wtl_result_is_silent(result, c, interval_ns))
        c->summary.unknown_ns += result->end_monotonic_ns - wtl_result_known_ns(result, c);
}

static int fill_channels(const struct wtl_measurement *m, bool going_on, struct wtl_result *result)
{
    size_t count = m->session ? m->selection->recorded_count : 0;
    result->channels = calloc(count + 1, sizeof *result->channels);
    if (!result->channels)
        return -ENOMEM;
    result->channel_count = count;
    for (size_t i = 0; i < count; i++) {
        struct wtl_result_channel *c = &result->channels[i];
        c->channel = m->selection->channels[i];
        wtl_session_summary(m->session, i, &c->summary);
        if (going_on)
            count_silence(m->options.interval_ns, result, c);
    }
    return 0;
}

/* Increase of a CPU time counter in the window; NaN if missing. */
static double cpu_time_of(const struct wtl_result *result, const char *name)
{
    const struct wtl_result_channel *found = wtl_result_find(result, name);
    return found ? found->summary.amount : (double)NAN;
}

/* The same for the whole machine, if no channel shows it. */
static double busy_s(struct wtl_measurement *m)
{
    uint64_t now_ns;
    if (m->busy.fd < 0 || wtl_busy_read(&m->busy, &now_ns) < 0)
        return NAN;
    return (double)(now_ns - m->busy_start_ns) * 1e-9;
}

static void fill_process(struct wtl_measurement *m,
                         const struct wtl_measurement_used *used,
                         struct wtl_result *result)
{
    bool is_cgroup = m->options.target.cgroup != NULL;
    result->machine_cpu_s = m->busy.fd >= 0 ? busy_s(m) : cpu_time_of(result, WTL_CPUTIME_MACHINE);
    result->cpu_s = used->cpu_s;
    if (isnan(used->cpu_s))
        result->cpu_s = cpu_time_of(result, is_cgroup ? WTL_CPUTIME_CGROUP : WTL_CPUTIME_TREE);
    result->max_rss_bytes = used->max_rss_bytes;
    result->exit_code = used->exit_code;
}

/* Number of counters in the total whose ticks at a border of the window were not seen. */
static double edges_lost(const struct wtl_measurement *m)
{
    double lost = 0;
    for (size_t i = 0; m->session && i < m->selection->recorded_count; i++) {
        if (m->selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL)
            lost += wtl_session_edges_lost(m->session, i);
    }
    return lost;
}

/* The counter of the total that is slowest relative to what it claims; false if none is slow. */
static bool find_slow(const struct wtl_measurement *m, struct wtl_slow_counter *ret_slow)
{
    double most = 0;
    for (size_t i = 0; m->session && i < m->selection->recorded_count; i++) {
        const struct wattle_channel *channel = &m->selection->channels[i];
        uint64_t stood_ns, refresh_ns = wtl_session_refresh_ns(m->session, i, &stood_ns);
        bool slow = refresh_ns > channel->refresh_ns || stood_ns > 0;
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL) || channel->refresh_ns == 0 || !slow)
            continue;
        double claimed = (double)channel->refresh_ns, found = (double)refresh_ns / claimed;
        if (found <= most)
            continue;
        struct wattle_channel real = *channel;
        real.refresh_ns = refresh_ns;
        most = found;
        *ret_slow = (struct wtl_slow_counter){
            .name = channel->name,
            .claimed_s = claimed * 1e-9,
            .found_s = refresh_ns > channel->refresh_ns ? (double)refresh_ns * 1e-9 : 0,
            .window_s = (double)wtl_channel_stretch_ns(&real) * 1e-9,
            .stood_s = (double)stood_ns * 1e-9};
    }
    return most > 0;
}

static int fill_flags(const struct wtl_measurement *m,
                      const struct wtl_session_stats *stats,
                      struct wtl_result *result)
{
    const struct wtl_measurement_options *o = &m->options;
    /* This process's own usage says nothing about a replayed machine. */
    bool inside = o->inside && !o->world->virtual_time;
    struct wtl_slow_counter slow;
    bool has_tree = inside || o->target.pid || o->target.cgroup;
    struct wtl_flag_window window = {
        .tree_cpu_s = has_tree ? result->cpu_s : (double)NAN,
        .own_cpu_s = o->inside ? (double)NAN : result->own_cpu_s,
        .machine_step_s = m->busy.fd >= 0 ? (double)m->busy.resolution_ns * 1e-9 : (double)NAN,
        .edges_lost = edges_lost(m),
        .slow = find_slow(m, &slow) ? &slow : NULL,
        .end_late_s = o->target.pid && !o->inside ? (double)stats->overdue_ns * 1e-9 : 0,
        .suspended_ns = stats->suspended_ns,
        .before = &m->before,
        .after = &m->after};
    int rc = wtl_flags_judge_result(&window, result);
    if (rc == 0 && inside && (isnan(result->cpu_s) || isnan(result->machine_cpu_s)))
        rc = wtl_result_flag(result, WTL_FLAG_NOT_CHECKED, UNCHECKED,
                             isnan(result->cpu_s)
                                 ? "not all processes of the job reported their CPU time"
                                 : "cannot read the CPU time of the command");
    return rc;
}

static void fill_sampler(const struct wtl_session_stats *stats, struct wtl_result *result)
{
    result->interval_ns = stats->interval_ns;
    result->late_p50_ns = stats->late_p50_ns;
    result->late_p99_ns = stats->late_p99_ns;
    result->late_max_ns = stats->late_max_ns;
    result->missed = stats->missed;
    result->dropped = stats->dropped;
    result->sampler_cpu = stats->sampler_cpu;
}

static int flag_multiplexed(const struct wtl_measurement *m, struct wtl_result *result)
{
    const struct wtl_source *counters = wtl_measurement_counters(m);
    char list[8], sentence[160] = "";
    if (counters)
        wtl_counters_multiplexed(counters, list, sizeof list, sentence, sizeof sentence);
    return sentence[0] ? wtl_result_flag(result, WTL_FLAG_MULTIPLEXED, "%s", sentence) : 0;
}

static int fill(struct wtl_measurement *m,
                const struct wtl_measurement_used *used,
                bool going_on,
                struct wtl_result *result)
{
    struct wtl_session_stats stats = {.sampler_cpu = -1};
    int rc = fill_texts(m, result);
    rc = rc < 0 ? rc : fill_channels(m, going_on, result);
    if (rc < 0)
        return rc;
    if (m->session)
        wtl_session_stats(m->session, &stats);
    fill_sampler(&stats, result);
    if (m->options.inside)
        result->own_cpu_s = (double)stats.cpu_ns * 1e-9;
    result->work = m->options.work;
    result->turbo = m->before.turbo;
    result->min_khz = m->before.min_khz;
    result->max_khz = m->before.max_khz;
    rc = wtl_result_total(result);
    rc = rc < 0 ? rc : wtl_contradiction_flag(result);
    if (rc < 0)
        return rc;
    if (going_on)
        result->until_ns = wtl_result_common_ns(result, m->options.interval_ns);
    if (m->selection->lacks[0] && result->total.count > 0)
        rc = wtl_result_flag(result, WTL_FLAG_INCOMPLETE,
                             "the total lacks %s: present in this machine, but not read",
                             m->selection->lacks);
    if (rc < 0)
        return rc;
    fill_process(m, used, result);
    wtl_measurement_shares_fill(m, result);
    const char *replayed = wtl_replay_of(m->selection);
    if (replayed)
        rc = wtl_result_flag(
            result, WTL_FLAG_REPLAYED,
            "the sensors are replayed from a recording (%.100s), not read from this machine",
            replayed);
    rc = rc < 0 ? rc : fill_flags(m, &stats, result);
    return rc < 0 || going_on ? rc : flag_multiplexed(m, result);
}

static void give_result(struct wtl_measurement *m,
                        const struct wtl_measurement_used *used,
                        bool going_on,
                        uint64_t end_ns,
                        struct wtl_result *result)
{
    *result = wtl_result_unknown();
    result->start_monotonic_ns = m->start_ns;
    result->end_monotonic_ns = end_ns;
    result->start_realtime_ns = m->start_ns + m->realtime_offset_ns;
    result->wall_time_s = (double)(end_ns - m->start_ns) * 1e-9;
    result->own_cpu_s = wtl_usage_own_s(false) - m->own_cpu_start_s;
    if (fill(m, used, going_on, result) < 0 && m->options.teller.warn)
        m->options.teller.warn(m->options.teller.context,
                               "out of memory, so parts of the result may be missing");
    wtl_run_trace_flag(&m->trace, result);
}

void wtl_measurement_so_far(struct wtl_measurement *m, struct wtl_result *ret_result)
{
    const struct wtl_measurement_used unknown = {
        .cpu_s = NAN, .max_rss_bytes = NAN, .exit_code = -1};
    if (m->session)
        wtl_session_collect(m->session);
    m->after = m->before; /* its files, some of them per CPU, are not read */
    give_result(m, &unknown, true, wtl_world_monotonic(m->options.world), ret_result);
}

void wtl_measurement_result(struct wtl_measurement *m,
                            const struct wtl_measurement_used *used,
                            struct wtl_result *ret_result)
{
    wtl_governor_read(m->options.world, &m->after);
    give_result(m, used, false, m->end_ns, ret_result);
}
