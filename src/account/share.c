/* SPDX-License-Identifier: BSD-3-Clause */
/* See share.h. By CPU time, the machine is one CPU that is busy as long as all of them together. */
#include "account/share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

void wtl_share_count(struct wtl_share_model *model)
{
    if (model->rule != WTL_SHARE_CPU_TIME)
        return;
    model->node.smt_part = WTL_SHARE_SMT_PART;
    model->node.frequency_exponent = WTL_SHARE_EXPONENT;
    model->learns = true;
}

bool wtl_share_is_of_device(const struct wattle_channel *channel)
{
    return channel->domain == WATTLE_DOMAIN_GPU || channel->domain == WATTLE_DOMAIN_GPU_MEMORY;
}

double wtl_share_idle_w(const struct wtl_share_model *model)
{
    return model->idle == WTL_IDLE_UNKNOWN ? (double)NAN : model->node.idle_w;
}

/* Standard deviations in half an interval of 95 %. */
static const double TWO_SIDED = 2;

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

enum { RATIOS = 2 };

/* Instructions and misses per cycle; 0 without cycles. */
static void ratios_of(const struct wtl_share_events *events, double *ratios)
{
    bool any = events->cycles > 0;
    ratios[0] = any ? events->instructions / events->cycles : 0;
    ratios[1] = any ? events->misses / events->cycles : 0;
}

/* Are there events of all jobs that used CPU time, and of at least one? */
static bool are_counted(const struct wtl_share_job *jobs, size_t n)
{
    bool some = false, all = true;
    for (size_t j = 0; j < n; j++) {
        some = some || (jobs[j].events && jobs[j].used_s > 0);
        all = all && (jobs[j].events || !(jobs[j].used_s > 0));
    }
    return some && all;
}

/* Energy of a CPU second of each job relative to the others': malloc'ed. A job that is not counted is as the mean. */
static double *activity_of(const struct wtl_share_model *model,
                           const struct wtl_share_job *jobs,
                           size_t n)
{
    double *activity = (double *)calloc(n + 1, sizeof *activity), sum = 0, used_s = 0;
    for (size_t j = 0; activity && j < n; j++) {
        double ratios[RATIOS];
        if (!jobs[j].events)
            continue;
        ratios_of(jobs[j].events, ratios);
        activity[j] = model->activity.core_w;
        for (size_t k = 0; k < RATIOS; k++)
            activity[j] += model->activity.ratio_w[k] * ratios[k];
        sum += activity[j] * jobs[j].used_s;
        used_s += jobs[j].used_s;
    }
    for (size_t j = 0; activity && j < n; j++)
        if (!jobs[j].events)
            activity[j] = used_s > 0 ? sum / used_s : 1;
    return activity;
}

/* Does a model know what events cost, and are there any? */
static bool are_used(const struct wtl_share_model *model,
                     const struct wtl_share_job *jobs,
                     size_t n)
{
    bool any = false;
    for (size_t j = 0; model->counts && j < n; j++)
        any = any || jobs[j].events;
    return any;
}

static struct wtl_node_look look_of(const struct wtl_share_interval *interval,
                                    const struct wtl_share_cpus *cpus)
{
    return (struct wtl_node_look){.energy_j = fmax(interval->energy_j - interval->devices_j, 0),
                                  .seconds = interval->seconds,
                                  .cpus = cpus->count,
                                  .core_of = cpus->core_of,
                                  .busy_s = cpus->busy_s,
                                  .frequency_ghz = cpus->frequency_ghz};
}

static int share_out(const struct wtl_share_model *model,
                     const struct wtl_share_interval *interval,
                     const struct wtl_share_cpus *cpus,
                     const struct wtl_share_job *jobs,
                     size_t n,
                     double *shares_j,
                     struct wtl_node_rest *ret_rest)
{
    bool none, counted = are_used(model, jobs, n);
    double *used_s = (double *)calloc(n * cpus->count + 1, sizeof *used_s);
    double *reserved = reserved_by(jobs, n, &none);
    double *activity = counted ? activity_of(model, jobs, n) : NULL;
    struct wtl_node_look look = look_of(interval, cpus);
    int rc = used_s && reserved && (activity || !counted) ? wtl_placement(cpus, jobs, n, used_s)
                                                          : -ENOMEM;
    look.jobs = n;
    look.used_s = used_s;
    look.activity = activity;
    look.reserved = none ? NULL : reserved;
    rc = rc < 0 ? rc : wtl_node_shares(&model->node, &look, shares_j, ret_rest);
    free(activity);
    free(reserved);
    free(used_s);
    return rc;
}

/* Is the energy above idle known, and not invented? */
static enum wattle_quality quality_of(const struct wtl_share_model *model,
                                      enum wtl_share_rule rule,
                                      const struct wtl_share_interval *interval)
{
    bool idle_known = model->idle == WTL_IDLE_CALIBRATED || model->idle == WTL_IDLE_GIVEN ||
                      model->idle == WTL_IDLE_SEEN;
    bool derived = rule == WTL_SHARE_CALIBRATED || (rule == WTL_SHARE_COUNTERS && idle_known);
    return derived && interval->quality != WATTLE_ESTIMATED ? WATTLE_DERIVED : WATTLE_ESTIMATED;
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
    bool has_cpus = interval->cpus && interval->cpus->count > 0;
    bool counted = has_cpus && are_used(model, jobs, n);
    bool calibrated = has_cpus && model->rule == WTL_SHARE_CALIBRATED;
    enum wtl_share_rule rule = counted      ? WTL_SHARE_COUNTERS
                               : calibrated ? WTL_SHARE_CALIBRATED
                                            : WTL_SHARE_CPU_TIME;
    struct wtl_share_model used = *model;
    struct wtl_node_rest rest;
    if (rule == WTL_SHARE_CPU_TIME)
        used = wtl_share_by_cpu_time(wtl_share_idle_w(model), model->idle);
    int rc = share_out(&used, interval, rule == WTL_SHARE_CPU_TIME ? &machine : interval->cpus,
                       jobs, n, shares_j, &rest);
    if (rc < 0)
        return rc;
    *ret_rest = (struct wtl_share_rest){
        .idle_j = rest.idle_j,
        .unattributed_j = rest.unattributed_j + fmin(interval->devices_j, interval->energy_j),
        .rule = rule,
        .quality = quality_of(model, rule, interval)};
    for (size_t i = 0; i < n; i++)
        ret_rest->jobs_j += shares_j[i];
    return 0;
}

/* What each job has above idle, own_j[n]: the sum of squares, with CPU time outside the jobs as one more; *ret_sum_j: of all. */
static double above_idle(const struct wtl_share_interval *interval,
                         const double *reserved_j,
                         size_t n,
                         const double *shares_j,
                         const struct wtl_share_rest *rest,
                         double *own_j,
                         double *ret_sum_j)
{
    double other_j = fmax(rest->unattributed_j - fmin(interval->devices_j, interval->energy_j), 0);
    double squares = other_j * other_j;
    *ret_sum_j = other_j;
    for (size_t j = 0; j < n; j++) {
        own_j[j] = fmax(shares_j[j] - reserved_j[j], 0);
        *ret_sum_j += own_j[j];
        squares += own_j[j] * own_j[j];
    }
    return squares;
}

int wtl_share_halves(const struct wtl_share_model *model,
                     const struct wtl_share_interval *interval,
                     const struct wtl_share_job *jobs,
                     size_t n,
                     const double *shares_j,
                     const struct wtl_share_rest *rest,
                     double *halves_j)
{
    const double part = model->error / model->error_by_time;
    struct wtl_share_model uncounted = *model;
    struct wtl_share_rest rest_by_time;
    bool none, counted = rest->rule == WTL_SHARE_COUNTERS;
    double sum_j = 0;
    double *reserved = reserved_by(jobs, n, &none);
    double *by_time_j = (double *)calloc(n + 1, sizeof *by_time_j);
    uncounted.counts = false;
    int rc = reserved && by_time_j ? 0 : -ENOMEM;
    for (size_t j = 0; rc == 0 && j < n; j++) {
        halves_j[j] = (double)NAN;
        reserved[j] *= model->node.idle_w * interval->seconds;
    }
    if (rc == 0 && counted)
        rc = wtl_shares(&uncounted, interval, jobs, n, by_time_j, &rest_by_time);
    double squares = rc == 0 && counted
                         ? above_idle(interval, reserved, n, shares_j, rest, halves_j, &sum_j)
                         : 0;
    for (size_t j = 0; rc == 0 && counted && j < n; j++) {
        double own_j = halves_j[j], others_j = sum_j - own_j;
        double off = sqrt(others_j * others_j + fmax(squares - own_j * own_j, 0));
        double alone_j = squares > 0 ? model->error * own_j * off / sqrt(squares) : 0;
        halves_j[j] = hypot(TWO_SIDED * alone_j, part * (shares_j[j] - by_time_j[j]));
    }
    free(by_time_j);
    free(reserved);
    return rc;
}

/* Solve for what the looks determine, and take what the model leaves open. */
static void solve(struct wtl_share_model *model, const struct wtl_node_fit *fit)
{
    struct wtl_node_model node = model->node;
    struct wtl_node_activity activity;
    if (wtl_node_fit_solve(fit, &node, &activity) < 0)
        return; /* the model stays */
    model->counts = wtl_node_fit_tells(fit, &node, model->counts);
    model->error = wtl_node_fit_error(fit, true);
    model->error_by_time = wtl_node_fit_error(fit, false);
    model->activity = activity;
    if (model->learns)
        model->node = node;
}

/* Can a fit take this interval, and is there something to learn from it? */
static bool is_learnt(const struct wtl_share_model *model,
                      const struct wtl_node_fit *fit,
                      const struct wtl_share_interval *interval,
                      bool counted)
{
    bool learns = model->learns && model->rule != WTL_SHARE_CPU_TIME;
    bool same = fit->looks == 0 || (fit->ratios > 0) == counted;
    return (counted || learns) && same && interval->cpus && interval->cpus->count > 0;
}

static int add_counted(const struct wtl_share_model *model,
                       struct wtl_node_fit *fit,
                       struct wtl_node_look *look,
                       const struct wtl_share_cpus *cpus,
                       const struct wtl_share_job *jobs,
                       size_t n)
{
    double *used_s = (double *)calloc(n * cpus->count + 1, sizeof *used_s);
    double *ratios = (double *)calloc(n * RATIOS + 1, sizeof *ratios);
    int rc = used_s && ratios ? wtl_placement(cpus, jobs, n, used_s) : -ENOMEM;
    for (size_t j = 0; rc == 0 && j < n; j++)
        if (jobs[j].events)
            ratios_of(jobs[j].events, ratios + RATIOS * j);
    look->jobs = n;
    look->used_s = used_s;
    rc = rc < 0 ? rc : wtl_node_fit_add(fit, &model->node, look, ratios, RATIOS);
    free(used_s);
    free(ratios);
    return rc;
}

int wtl_share_learn(struct wtl_share_model *model,
                    struct wtl_node_fit *fit,
                    const struct wtl_share_interval *interval,
                    const struct wtl_share_job *jobs,
                    size_t n)
{
    enum { EVERY = 20 };
    bool counted = are_counted(jobs, n);
    if (!is_learnt(model, fit, interval, counted))
        return 0;
    struct wtl_node_look look = look_of(interval, interval->cpus);
    int rc = counted ? add_counted(model, fit, &look, interval->cpus, jobs, n)
                     : wtl_node_fit_add(fit, &model->node, &look, NULL, 0);
    if (rc == 0 && fit->looks % EVERY == 0)
        solve(model, fit);
    return rc;
}
