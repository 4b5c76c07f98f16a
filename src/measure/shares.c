/* SPDX-License-Identifier: BSD-3-Clause */
/* See shares.h; the rule is in account/share.h. Jobs are the measured processes and all others. */
#define _GNU_SOURCE
#include "measure/shares.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/process_stat.h"
#include "base/world/topology.h"
#include "measure/counter_shares.h"
#include "measure/gpu_shares.h"
#include "model/quality.h"
#include "record/replay.h"
#include "sensors/estimate.h"

enum { TREE, OTHERS, JOBS };

/* Names of the channels in the total, but for devices; false if there are too many. */
static bool name_total(const struct wtl_selection *selection, char *buf, size_t n, bool *simulated)
{
    size_t used = 0;
    buf[0] = '\0';
    *simulated = false;
    for (size_t i = 0; i < selection->recorded_count && used < n; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL) || wtl_share_is_of_device(channel))
            continue;
        *simulated |= wtl_channel_is_simulated(channel);
        used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? " " : "", channel->name);
    }
    return used > 0 && used < n;
}

double wtl_measurement_idle_w(const struct wtl_measurement *m, double *ret_cpus)
{
    double idle_w = NAN;
    unsigned cpus = 0;
    for (size_t i = 0; i < m->selection->offer_count; i++) {
        const struct wtl_source *source = &m->selection->offers[i].source;
        if (m->selection->offers[i].status == 0 && wtl_estimate_idle(source, &idle_w, &cpus) == 0)
            *ret_cpus = cpus;
    }
    return idle_w;
}

int wtl_measurement_share_model(const struct wtl_measurement *m,
                                struct wtl_share_model *ret_model,
                                struct wattle_error *err)
{
    uint8_t online[WTL_CPUS_MAX / 8];
    char sensors[1024];
    double cpus;
    struct wtl_share_conditions now = {.sensor = sensors,
                                       .governor = m->before.governor,
                                       .epp = m->before.epp,
                                       .turbo = m->before.turbo,
                                       .min_khz = m->before.min_khz,
                                       .max_khz = m->before.max_khz};
    int count = wtl_cpus_online(m->options.world, online);
    now.cpus = count > 0 ? (unsigned)count : 0;
    *ret_model = wtl_share_by_cpu_time(wtl_measurement_idle_w(m, &cpus), WTL_IDLE_MODEL);
    if (!name_total(m->selection, sensors, sizeof sensors, &now.simulated))
        return -ENOENT;
    return wtl_share_calibration_load(m->options.world, &now, ret_model, err);
}

/* The list of CPUs on which the target may run, into buf; false if it is unknown. */
static bool find_cpus(const struct wtl_measurement *m, char *buf, size_t n)
{
    const struct wtl_measurement_options *o = &m->options;
    const char *folder = o->target.cgroup;
    char path[4200], text[8192];
    if (!folder) {
        (void)snprintf(path, sizeof path, "/proc/%d/status", (int)o->target.pid);
        if (o->target.inherit) /* the command inherits what this process has */
            (void)snprintf(path, sizeof path, "/proc/self/status");
        return wtl_world_text(o->world, path, text, sizeof text) > 0 &&
               wtl_process_status_cpus(text, buf, n);
    }
    (void)snprintf(path, sizeof path, "%s/cpuset.cpus.effective", folder);
    return wtl_world_text(o->world, path, buf, n) > 0;
}

/* Look at the CPUs for the first time. 0, or why that is not possible. */
static int open_cpus(struct wtl_measurement *m, struct wattle_error *err)
{
    char list[1024];
    int rc = wtl_cpu_times_open(&m->cpu_times, m->options.world, false, err);
    if (rc < 0 || !find_cpus(m, list, sizeof list))
        return rc;
    m->may_on = (bool *)calloc(m->cpu_times.count, sizeof *m->may_on);
    if (m->may_on && !wtl_cpu_times_are_some(&m->cpu_times, list, m->may_on)) {
        free(m->may_on);
        m->may_on = NULL;
    }
    return 0;
}

/* Is there something to divide, on this machine and now? A program that measures itself does not look for a calibration. */
static bool is_divided(const struct wtl_measurement *m)
{
    const struct wtl_measurement_options *o = &m->options;
    return (o->target.inherit || o->target.pid || o->target.cgroup) && !o->inside &&
           !o->world->virtual_time && !wtl_replay_of(m->selection);
}

void wtl_measurement_shares_open(struct wtl_measurement *m)
{
    const struct wtl_teller *teller = &m->options.teller;
    struct wattle_error why = {""};
    double cpus;
    int rc = -ENOENT;
    m->share_model = wtl_share_by_cpu_time(wtl_measurement_idle_w(m, &cpus), WTL_IDLE_MODEL);
    if (is_divided(m))
        rc = wtl_measurement_share_model(m, &m->share_model, &why);
    if (is_divided(m) && !m->options.more_commands)
        m->gpu_shares = wtl_gpu_shares_start(m);
    rc = rc < 0 ? rc : open_cpus(m, &why);
    if (is_divided(m) && !m->options.more_commands)
        m->counter_shares = wtl_counter_shares_start(m);
    if (rc < 0 && rc != -ENOENT && why.text[0] && teller->warn)
        teller->warn(teller->context, why.text);
}

double wtl_share_devices_j(const struct wtl_result *result)
{
    double sum_j = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *channel = &result->channels[i];
        if (channel->channel.flags & WATTLE_CHANNEL_IN_TOTAL &&
            wtl_share_is_of_device(&channel->channel))
            sum_j += fmax(wtl_result_energy(channel).j, 0); /* unknown: so is the total */
    }
    return sum_j;
}

/* GPUs are among what is unattributed so far. */
static void give_gpus(struct wtl_result *result)
{
    if (isnan(result->gpu_share_j) || isnan(result->energy_share_j))
        return;
    result->energy_share_j += result->gpu_share_j;
    result->others_share_j += result->gpu_others_j;
    result->share_idle_j += result->gpu_idle_j;
    result->unattributed_j -= result->gpu_share_j + result->gpu_others_j + result->gpu_idle_j;
}

void wtl_measurement_shares_fill(struct wtl_measurement *m, struct wtl_result *result)
{
    struct wtl_share_cpus cpus = {0};
    bool seen = m->cpu_times.world && wtl_cpu_times_look(&m->cpu_times) == 0;
    if (isnan(result->machine_cpu_s) ||
        isnan(result->energy.j)) /* of what is unknown there are no parts, not even of 0 J */
        return;
    if (seen) { /* seen from a little before the window to a little after it */
        double seen_s = (double)(m->cpu_times.now_ns - m->cpu_times.mark_ns) * 1e-9;
        for (size_t i = 0; i < m->cpu_times.count; i++)
            m->cpu_times.busy_s[i] *= result->wall_time_s / seen_s;
        cpus = wtl_cpu_times_cpus(&m->cpu_times);
    }
    const struct wtl_share_interval interval = {.energy_j = result->energy.j,
                                                .devices_j = wtl_share_devices_j(result),
                                                .seconds = result->wall_time_s,
                                                .machine_s = result->machine_cpu_s,
                                                .cpus = seen ? &cpus : NULL,
                                                .quality = result->total.quality};
    struct wtl_share_job jobs[JOBS] = {{.used_s = result->cpu_s, .may_on = m->may_on},
                                       {.used_s = fmax(result->machine_cpu_s - result->cpu_s, 0)}};
    double shares_j[JOBS], halves_j[JOBS] = {(double)NAN, (double)NAN};
    struct wtl_share_rest rest;
    (void)snprintf(result->share_counters, sizeof result->share_counters, "%s", m->counter_note);
    int rc = wtl_counter_shares_divide(m->counter_shares, &interval, shares_j, halves_j, &rest,
                                       result->share_counters, sizeof result->share_counters);
    if (rc < 0)
        rc = wtl_shares(&m->share_model, &interval, jobs, JOBS, shares_j, &rest);
    if (rc == 0) {
        result->energy_share_j = shares_j[TREE];
        result->share_half_j = rest.rule == WTL_SHARE_COUNTERS ? halves_j[TREE] : (double)NAN;
        result->others_share_j = shares_j[OTHERS];
        result->share_idle_j = rest.idle_j;
        result->unattributed_j = rest.unattributed_j;
        result->share_rule = rest.rule;
        result->share_quality = rest.quality;
        wtl_gpu_shares_fill(m->gpu_shares, result);
        give_gpus(result);
    }
    jobs[0] = (struct wtl_share_job){.used_s = result->own_cpu_s};
    if (wtl_shares(&m->share_model, &interval, jobs, 1, shares_j, &rest) == 0)
        result->own_j = shares_j[0];
}

void wtl_measurement_shares_close(struct wtl_measurement *m)
{
    wtl_counter_shares_end(m->counter_shares);
    m->counter_shares = NULL;
    wtl_gpu_shares_end(m->gpu_shares);
    m->gpu_shares = NULL;
    wtl_cpu_times_close(&m->cpu_times);
    free(m->may_on);
    m->may_on = NULL;
}
