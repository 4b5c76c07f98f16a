/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of jobs in the energy of a machine over an interval. A job is anything with CPU time: a process, the tree
 * of a command, a cgroup.
 *
 *     shares + idle + unattributed = energy of the counter
 *
 * There is one computation, wtl_node_shares() (node_share.h), with three models:
 *
 *   counters     a CPU second of a job counts by its instructions and cache misses per cycle, as far as the energy of
 *                earlier intervals has shown that they matter (wtl_share_learn()); the rest as below
 *   calibrated   idle power and the other values of calibration.conf, with the CPU time of each CPU
 *   CPU time     energy above idle in proportion to CPU time. If idle power is unknown, that is all energy,
 *                and idle is 0: nothing is invented.
 *
 * Idle energy is charged to no job that has not reserved it. Jobs that reserved more than the whole, together, are
 * charged in proportion.
 */
#ifndef WTL_ACCOUNT_SHARE_H
#define WTL_ACCOUNT_SHARE_H

#include <stdbool.h>

#include <wattle/channel.h>
#include <wattle/quantity.h>

#include "account/cpu_placement.h"
#include "account/node_fit.h"
#include "model/shares/share_rule.h"

/* Where idle power is from; "unknown", "given", "model", "seen", "calibrated". */
enum wtl_idle_origin {
    WTL_IDLE_UNKNOWN,
    WTL_IDLE_GIVEN, /* by the user */
    WTL_IDLE_MODEL, /* of the estimate */
    WTL_IDLE_SEEN,  /* while the machine did almost nothing */
    WTL_IDLE_CALIBRATED
};

extern const char *const wtl_idle_origin_names[5];

struct wtl_share_model {
    enum wtl_share_rule rule;
    enum wtl_idle_origin idle;
    struct wtl_node_model node;
    bool learns; /* activation power and second threads are not calibrated: wtl_share_learn() */
    /* What instructions and misses per cycle have been found to cost. */
    bool counts; /* they matter; else jobs are divided by the rule alone */
    /* Of the power that they predict, and of that which CPU time predicts: relative, root mean square (wtl_node_fit_error()). */
    double error, error_by_time;
    struct wtl_node_activity activity;
};

/* Weight of second threads and exponent of frequency where nothing is known about them. */
#define WTL_SHARE_SMT_PART 0.5
#define WTL_SHARE_EXPONENT 2.0

/* By CPU time; idle_w NaN = unknown, whatever the origin. */
struct wtl_share_model wtl_share_by_cpu_time(double idle_w, enum wtl_idle_origin origin);

/* A model for jobs with events: where it is by CPU time, second threads and the power of the first core are learnt. Where idle power is
 * unknown, that power includes it: idle energy is then divided by CPU time. */
void wtl_share_count(struct wtl_share_model *model);

/* Is this energy of a device that belongs to one job at a time (device_share.h)? It is not divided by CPU time. */
bool wtl_share_is_of_device(const struct wattle_channel *channel);

/* Idle power of the model; NaN = unknown. */
double wtl_share_idle_w(const struct wtl_share_model *model);

struct wtl_share_interval {
    double energy_j;  /* of the counter, >= 0 */
    double devices_j; /* of it: of devices whose owners are unknown; unattributed */
    double seconds;   /* > 0 */
    double machine_s; /* CPU time of everything; NaN = unknown: that of the jobs */
    const struct wtl_share_cpus *cpus; /* NULL = unknown; needed by the calibrated model */
    enum wattle_quality quality;       /* of energy_j */
};

struct wtl_share_rest {
    double jobs_j;            /* the sum of the shares */
    double idle_j;            /* the baseline */
    double unattributed_j;    /* may be negative */
    enum wtl_share_rule rule; /* that was used */
    enum wattle_quality
        quality; /* derived with a known idle power from a counter, else estimated */
};

/*
 * shares_j[n], n may be 0. Events count where the model has learnt what they cost; a job without events then counts as the mean of
 * the others. Without the CPU time of each CPU, a calibrated model falls back to CPU time above its
 * idle power. If jobs used more than the machine (clocks with different steps), their sum counts as the machine's. Returns 0;
 * -EINVAL when a value is negative or not finite; -ENOMEM. Pure.
 */
int wtl_shares(const struct wtl_share_model *model,
               const struct wtl_share_interval *interval,
               const struct wtl_share_job *jobs,
               size_t n,
               double *shares_j,
               struct wtl_share_rest *ret_rest);

/*
 * Half widths of the 95 % intervals of what wtl_shares() has given to each job, halves_j[n]; NaN by any rule but counters, whose error is
 * measured. They are the root of the squares of two parts:
 *   - two standard deviations, if each job's power per CPU second is off by a factor of its own, so large that together they make the error of the
 *     model's predictions; what is off for all alike cancels;
 *   - what is off for one job and made up for by another shows in predictions only as far as their mix changes: of the difference that counters make
 *     for the job, such a part as the error of their predictions is of that by CPU time.
 * Both for all of the interval: halves of intervals of one model add up. Returns 0; -EINVAL, -ENOMEM as wtl_shares(). Pure.
 */
int wtl_share_halves(const struct wtl_share_model *model,
                     const struct wtl_share_interval *interval,
                     const struct wtl_share_job *jobs,
                     size_t n,
                     const double *shares_j,
                     const struct wtl_share_rest *rest,
                     double *halves_j);

/*
 * Refine a model from an interval with the CPU time of each CPU: every 20 intervals, activation power and the weight of second threads (of
 * a calibrated model that learns) and, if all jobs with CPU time have events, what these cost are set as far as all intervals so
 * far determine them (node_fit.h). A fit is of one model, with events or without: intervals of the other kind are left out. Returns 0, or the error of
 * wtl_node_fit_add().
 */
int wtl_share_learn(struct wtl_share_model *model,
                    struct wtl_node_fit *fit,
                    const struct wtl_share_interval *interval,
                    const struct wtl_share_job *jobs,
                    size_t n);

#endif
