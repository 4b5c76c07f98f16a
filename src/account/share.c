/* SPDX-License-Identifier: BSD-3-Clause */
/* See share.h. By CPU time, the machine is one CPU that is busy as long as all of them together. */
#include "account/share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

const char *const wtl_share_rule_names[] =
    {[WTL_SHARE_CPU_TIME] = "cpu_time", [WTL_SHARE_CALIBRATED] = "calibrated"};
const char *const wtl_idle_origin_names[] = {[WTL_IDLE_UNKNOWN] = "unknown",
                                             [WTL_IDLE_GIVEN] = "given",
                                             [WTL_IDLE_MODEL] = "model",
                                             [WTL_IDLE_SEEN] = "seen",
                                             [WTL_IDLE_CALIBRATED] = "calibrated"};

struct wtl_share_model wtl_share_by_cpu_time(double idle_w, enum wtl_idle_origin origin)
{
    bool known = !isnan(idle_w);
    return (struct wtl_share_model){.rule = WTL_SHARE_CPU_TIME,
                                    .idle = known ? origin : WTL_IDLE_UNKNOWN,
                                    .node = {.idle_w = known ? idle_w : 0, .smt_part = 1}};
}

bool wtl_share_is_of_device(const struct wattle_channel *channel)
{
    return channel->domain == WATTLE_DOMAIN_GPU || channel->domain == WATTLE_DOMAIN_GPU_MEMORY;
}

double wtl_share_idle_w(const struct wtl_share_model *model)
{
    return model->idle == WTL_IDLE_UNKNOWN ? (double)NAN : model->node.idle_w;
}

/* What each job has reserved, at most all of it together: malloc'ed; *ret_none: nothing is reserved. */
static double *reserved_by(const struct wtl_share_job *jobs, size_t n, bool *ret_none)
{
    double *reserved = (double *)calloc(n + 1, sizeof *reserved), sum = 0;
    for (size_t j = 0; reserved && j < n; j++)
        sum += reserved[j] = jobs[j].reserved;
    for (size_t j = 0; reserved && sum > 1 && j < n; j++)
        reserved[j] /= sum;
    *ret_none = !(sum > 0);
    return reserved;
}

static int share_out(const struct wtl_share_model *model,
                     const struct wtl_share_interval *interval,
                     const struct wtl_share_cpus *cpus,
                     const struct wtl_share_job *jobs,
                     size_t n,
                     double *shares_j,
                     struct wtl_node_rest *ret_rest)
{
    bool none;
    double *used_s = (double *)calloc(n * cpus->count + 1, sizeof *used_s);
    double *reserved = reserved_by(jobs, n, &none);
    int rc = used_s && reserved ? wtl_placement(cpus, jobs, n, used_s) : -ENOMEM;
    const struct wtl_node_look look = {.energy_j =
                                           fmax(interval->energy_j - interval->devices_j, 0),
                                       .seconds = interval->seconds,
                                       .cpus = cpus->count,
                                       .jobs = n,
                                       .core_of = cpus->core_of,
                                       .busy_s = cpus->busy_s,
                                       .frequency_ghz = cpus->frequency_ghz,
                                       .used_s = used_s,
                                       .reserved = none ? NULL : reserved};
    rc = rc < 0 ? rc : wtl_node_shares(&model->node, &look, shares_j, ret_rest);
    free(reserved);
    free(used_s);
    return rc;
}

int wtl_shares(const struct wtl_share_model *model,
               const struct wtl_share_interval *interval,
               const struct wtl_share_job *jobs,
               size_t n,
               double *shares_j,
               struct wtl_share_rest *ret_rest)
{
    static const uint32_t one_core = 0;
    const double machine_s = isnan(interval->machine_s) ? 0 : interval->machine_s;
    const struct wtl_share_cpus machine = {.count = 1, .core_of = &one_core, .busy_s = &machine_s};
    bool calibrated =
        model->rule == WTL_SHARE_CALIBRATED && interval->cpus && interval->cpus->count > 0;
    struct wtl_share_model used = *model;
    struct wtl_node_rest rest;
    if (!calibrated)
        used = wtl_share_by_cpu_time(wtl_share_idle_w(model), model->idle);
    int rc = share_out(&used, interval, calibrated ? interval->cpus : &machine, jobs, n, shares_j,
                       &rest);
    if (rc < 0)
        return rc;
    *ret_rest = (struct wtl_share_rest){
        .idle_j = rest.idle_j,
        .unattributed_j = rest.unattributed_j + fmin(interval->devices_j, interval->energy_j),
        .rule = used.rule,
        .quality = calibrated && interval->quality != WATTLE_ESTIMATED ? WATTLE_DERIVED
                                                                       : WATTLE_ESTIMATED};
    for (size_t i = 0; i < n; i++)
        ret_rest->jobs_j += shares_j[i];
    return 0;
}

int wtl_share_learn(struct wtl_share_model *model,
                    struct wtl_node_fit *fit,
                    const struct wtl_share_interval *interval)
{
    enum { EVERY = 20 };
    struct wtl_node_activity activity;
    const struct wtl_share_cpus *cpus = interval->cpus;
    if (model->rule != WTL_SHARE_CALIBRATED || !model->learns || !cpus || cpus->count == 0)
        return 0;
    const struct wtl_node_look look = {.energy_j =
                                           fmax(interval->energy_j - interval->devices_j, 0),
                                       .seconds = interval->seconds,
                                       .cpus = cpus->count,
                                       .core_of = cpus->core_of,
                                       .busy_s = cpus->busy_s,
                                       .frequency_ghz = cpus->frequency_ghz};
    int rc = wtl_node_fit_add(fit, &model->node, &look, NULL, 0);
    if (rc == 0 && fit->looks % EVERY == 0) /* if they determine nothing, the model stays */
        (void)wtl_node_fit_solve(fit, &model->node, &activity);
    return rc;
}
