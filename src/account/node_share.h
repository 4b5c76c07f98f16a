/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of jobs in the energy of one processor package over a short interval (a look), from the CPU time of each
 * job on each CPU.
 *
 *     shares + idle + unattributed = energy of the counter
 *
 * - Idle energy is a calibrated baseline, idle_w x seconds, never the residual. A job is charged the part
 *   of it that it has reserved; the rest is `idle`.
 * - The energy above idle has two parts. Activation energy is drawn while any core of the package
 *   is busy: activation_w x the time in which at least one is. It is divided at each instant equally among the busy CPUs. The
 *   rest is divided in proportion to weighted CPU time: a second counts (frequency / reference_ghz) ^
 *   frequency_exponent, less while the other thread of the core is busy (then the core does 1 + smt_part
 *   times the work of one thread, and each thread counts as half of that), times the measured activity of the job.
 * - Unattributed is the charge for CPU time outside the jobs. It is all of the energy above idle when no CPU
 *   was busy, and negative when the counter shows less than idle; no job is charged for that.
 *
 * Rules that hold exactly, tested in tests/unit/account/test_node_share.c: the sum above; jobs with the same
 * CPU time on equally busy CPUs pay equally; a job without CPU time pays only for what it reserved; the parts
 * of a job that is split together pay as much as the whole. Because of the last rule activation is not
 * divided equally among jobs, as the Shapley value would: splitting a job would then raise its share.
 *
 * Within a look, CPUs are assumed to be busy independently of each other. With short looks the error is
 * negligible.
 */
#ifndef WTL_ACCOUNT_NODE_SHARE_H
#define WTL_ACCOUNT_NODE_SHARE_H

#include <stddef.h>
#include <stdint.h>

/* How the power of a package depends on its activity. */
struct wtl_node_model {
    double idle_w;             /* with no CPU busy, >= 0 */
    double activation_w;       /* additional power while at least one CPU is busy, >= 0 */
    double smt_part;           /* work of a second thread on a core, of the first: 0 to 1 */
    double frequency_exponent; /* of power over frequency, 0 to 4 */
    double reference_ghz;      /* frequency of weight 1, > 0; 0: the maximum in the look */
};

/* One look at a package. CPU times are in seconds, not negative. */
struct wtl_node_look {
    double energy_j, seconds;    /* of the counter; > 0 */
    size_t cpus, jobs;           /* cpus > 0 */
    const uint32_t *core_of;     /* [cpus]: core number of each CPU, below cpus; at most two CPUs
                                    share one */
    const double *busy_s;        /* [cpus]: CPU time of everything */
    const double *frequency_ghz; /* [cpus]; NULL = unknown */
    const double *used_s;        /* [jobs][cpus]: CPU time of each job; the sum for a CPU may
                                    exceed busy_s only by rounding */
    const double *activity;      /* [jobs]: energy per CPU second relative to other jobs, >= 0;
                                    NULL = all alike. CPU time outside the jobs counts with their
                                    mean */
    const double *reserved;      /* [jobs]: part of the node each job has reserved, sum at most
                                    1; NULL = none */
};

struct wtl_node_rest {
    double idle_j, unattributed_j;
};

/*
 * Shares of the jobs into shares_j[jobs], the rest into ret_rest. Returns 0; -EINVAL when a value is negative, not
 * finite or out of its range; -ENOMEM. Pure.
 */
int wtl_node_shares(const struct wtl_node_model *model,
                    const struct wtl_node_look *look,
                    double *shares_j,
                    struct wtl_node_rest *ret_rest);

/* Ratios that indicate the energy per CPU second of a job, such as instructions and cache misses per cycle. */
enum { WTL_NODE_RATIOS = 3, WTL_NODE_TERMS = 2 + WTL_NODE_RATIOS };

/*
 * The quantities that determine the power above idle in a look, averaged over its time: part of the time with
 * a CPU busy; weighted CPU time per second of everything; for each ratio the same times the job's ratio.
 * ratios[jobs][n], n <= WTL_NODE_RATIOS; CPU time outside the jobs counts with the mean of their ratios.
 * terms[2 + n]. look->activity and the model's powers are ignored. Same errors. Pure.
 */
int wtl_node_terms(const struct wtl_node_model *model,
                   const struct wtl_node_look *look,
                   const double *ratios,
                   size_t n,
                   double *terms);

#endif
