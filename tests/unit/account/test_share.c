/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of jobs: sums, rules and fallbacks documented in share.h, on a thousand random machines. */
#include "account/share.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "account/cpu_placement.h"
#include "base/random.h"
#include "tap.h"

enum { CPUS = 8, JOBS = 5 };

static const uint32_t core_of[CPUS] = {0, 1, 2, 3, 0, 1, 2, 3};

static const struct wtl_share_model calibrated = {
    .rule = WTL_SHARE_CALIBRATED,
    .idle = WTL_IDLE_CALIBRATED,
    .node = {.idle_w = 20, .activation_w = 10, .smt_part = 0.3, .frequency_exponent = 2}};

/* A machine whose jobs ran on known CPUs. */
struct made {
    double busy_s[CPUS], ran_s[JOBS][CPUS], machine_s;
    bool may_on[JOBS + 1][CPUS];
    struct wtl_share_job jobs[JOBS + 1];
    struct wtl_share_cpus cpus;
    struct wtl_share_interval interval;
};

static void make(struct made *made, uint64_t seed)
{
    uint64_t at = 0;
    memset(made, 0, sizeof *made);
    for (unsigned j = 0; j < JOBS; j++) {
        for (unsigned i = 0; i < CPUS; i++) {
            made->may_on[j][i] = wtl_random_uniform(seed, at++) < 0.5;
            made->ran_s[j][i] = made->may_on[j][i] ? 0.15 * wtl_random_uniform(seed, at++) : 0;
            made->jobs[j].used_s += made->ran_s[j][i];
            made->busy_s[i] += made->ran_s[j][i];
        }
        made->jobs[j].may_on = made->may_on[j];
    }
    for (unsigned i = 0; i < CPUS; i++) {
        made->busy_s[i] += 0.2 * wtl_random_uniform(seed, at++);
        made->machine_s += made->busy_s[i];
    }
    made->cpus = (struct wtl_share_cpus){.count = CPUS, .core_of = core_of, .busy_s = made->busy_s};
    made->interval = (struct wtl_share_interval){.energy_j = 5 + 95 * wtl_random_uniform(seed, at),
                                                 .seconds = 1,
                                                 .machine_s = made->machine_s,
                                                 .cpus = &made->cpus,
                                                 .quality = WATTLE_MEASURED};
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static void test_sum(const struct wtl_share_model *model, const char *name)
{
    double worst = 0, worst_jobs = 0;
    unsigned refused = 0, negative = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct made made;
        double shares_j[JOBS];
        struct wtl_share_rest rest;
        make(&made, seed);
        refused += wtl_shares(model, &made.interval, made.jobs, JOBS, shares_j, &rest) != 0;
        worst = fmax(
            worst, fabs(rest.jobs_j + rest.idle_j + rest.unattributed_j - made.interval.energy_j));
        worst_jobs = fmax(worst_jobs, fabs(sum_of(shares_j, JOBS) - rest.jobs_j));
        negative += rest.unattributed_j < 0;
    }
    is_int(refused, 0, "%s: all are valid", name);
    ok(worst < 1e-12, "%s: shares, idle and unattributed are the counter, to %.2g J", name, worst);
    ok(worst_jobs < 1e-12, "%s: the shares are their sum", name);
    ok(negative > 20 || model->idle == WTL_IDLE_UNKNOWN,
       "%s: below idle, unattributed is negative (%u)", name, negative);
}

static void test_split(const struct wtl_share_model *model, const char *name)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct made made;
        double whole_j[JOBS], split_j[JOBS + 1], part = wtl_random_uniform(seed, 5000);
        struct wtl_share_rest rest;
        make(&made, seed);
        (void)wtl_shares(model, &made.interval, made.jobs, JOBS, whole_j, &rest);
        made.jobs[JOBS] = made.jobs[0];
        made.jobs[JOBS].used_s *= part;
        made.jobs[0].used_s *= 1 - part;
        (void)wtl_shares(model, &made.interval, made.jobs, JOBS + 1, split_j, &rest);
        worst = fmax(worst, fabs(split_j[0] + split_j[JOBS] - whole_j[0]));
        for (unsigned j = 1; j < JOBS; j++)
            worst = fmax(worst, fabs(split_j[j] - whole_j[j]));
    }
    ok(worst < 1e-9, "%s: splitting a job changes nothing, to %.2g J", name, worst);
}

static void test_equal_and_none(const struct wtl_share_model *model, const char *name)
{
    double worst = 0, most = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct made made;
        double shares_j[JOBS];
        struct wtl_share_rest rest;
        make(&made, seed);
        made.jobs[1] = made.jobs[0];
        made.jobs[2].used_s = 0;
        (void)wtl_shares(model, &made.interval, made.jobs, JOBS, shares_j, &rest);
        worst = fmax(worst, fabs(shares_j[0] - shares_j[1]));
        most = fmax(most, fabs(shares_j[2]));
    }
    ok(worst < 1e-12, "%s: equal jobs pay equally, to %.2g J", name, worst);
    is_double(most, 0, 0, "%s: a job without CPU time pays nothing", name);
}

/* Each CPU is used by one job only: there is one assignment. */
static void test_own_cpus(void)
{
    double worst = 0, used_s[2 * CPUS];
    const double busy_s[CPUS] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const bool first[CPUS] = {true, true, true, true},
               second[CPUS] = {[4] = true, true, true, true};
    const struct wtl_share_cpus cpus = {.count = CPUS, .core_of = core_of, .busy_s = busy_s};
    const struct wtl_share_job jobs[] = {{.used_s = 1, .may_on = first},
                                         {.used_s = 2.6, .may_on = second}};
    is_int(wtl_placement(&cpus, jobs, 2, used_s), 0, "jobs on separate CPUs");
    for (unsigned i = 0; i < CPUS; i++)
        worst = fmax(worst, fabs(used_s[i / 4 * CPUS + i] - busy_s[i]));
    ok(worst < 1e-5, "each used its own, to %.2g s", worst);
}

/* One is confined to CPU 0, the other is not: it is found where the first was not. */
static void test_room(void)
{
    double used_s[4];
    const double busy_s[2] = {1, 1};
    const bool first[2] = {true, false};
    const uint32_t cores[2] = {0, 1};
    const struct wtl_share_cpus cpus = {.count = 2, .core_of = cores, .busy_s = busy_s};
    struct wtl_share_job jobs[] = {{.used_s = 1, .may_on = first}, {.used_s = 1}};
    is_int(wtl_placement(&cpus, jobs, 2, used_s), 0, "a confined job");
    is_double(used_s[0], 1, 1e-3, "used its CPU");
    is_double(used_s[3], 1, 0.01, "the other one used the other");
    jobs[0].used_s = 1.5;
    jobs[1].used_s = 0.5;
    is_int(wtl_placement(&cpus, jobs, 2, used_s), 0, "threads with affinities of their own");
    is_double(used_s[0] + used_s[1], 1.5, 1e-12, "have the CPU time of their job");
    is_double(used_s[0], 1, 0.01, "on the CPU where it may run");
    is_double(used_s[1], 0.5, 0.01, "and elsewhere");
    jobs[0].used_s = NAN;
    is_int(wtl_placement(&cpus, jobs, 2, used_s), -EINVAL, "no number");
}

static void test_fallback(void)
{
    struct made made;
    double shares_j[JOBS], by_time_j[JOBS];
    struct wtl_share_rest rest;
    make(&made, 3);
    made.interval.energy_j = 60;
    (void)wtl_shares(&calibrated, &made.interval, made.jobs, JOBS, shares_j, &rest);
    is_int(rest.quality, WATTLE_DERIVED, "calibrated: derived");
    is_int(rest.rule, WTL_SHARE_CALIBRATED, "and says so");
    made.interval.cpus = NULL;
    (void)wtl_shares(&calibrated, &made.interval, made.jobs, JOBS, shares_j, &rest);
    is_int(rest.rule, WTL_SHARE_CPU_TIME, "without each CPU: by CPU time");
    is_int(rest.quality, WATTLE_ESTIMATED, "estimated");
    is_double(rest.idle_j, 20, 1e-12, "with the calibrated idle power");
    is_double(shares_j[0], 40 * made.jobs[0].used_s / made.machine_s, 1e-12, "above idle");
    struct wtl_share_model model = wtl_share_by_cpu_time(NAN, WTL_IDLE_SEEN);
    is_int(model.idle, WTL_IDLE_UNKNOWN, "no idle power is unknown");
    ok(isnan(wtl_share_idle_w(&model)), "as a number, too");
    (void)wtl_shares(&model, &made.interval, made.jobs, JOBS, by_time_j, &rest);
    is_double(rest.idle_j, 0, 0, "none is invented");
    is_double(by_time_j[0], 60 * made.jobs[0].used_s / made.machine_s, 1e-12,
              "all energy by CPU time");
    made.interval.devices_j = 25;
    (void)wtl_shares(&model, &made.interval, made.jobs, JOBS, by_time_j, &rest);
    is_double(by_time_j[0], 35 * made.jobs[0].used_s / made.machine_s, 1e-12,
              "energy of devices is not divided by CPU time");
    is_double(rest.jobs_j + rest.idle_j + rest.unattributed_j, 60, 1e-12, "it is nobody's");
    made.interval.devices_j = 0;
    made.interval.machine_s = NAN;
    (void)wtl_shares(&model, &made.interval, made.jobs, JOBS, by_time_j, &rest);
    is_double(rest.unattributed_j, 0, 1e-12, "the machine's CPU time is unknown: that of the jobs");
    (void)wtl_shares(&model, &made.interval, made.jobs, 0, by_time_j, &rest);
    is_double(rest.unattributed_j, 60, 1e-12, "no job: it is nobody's");
    made.interval.seconds = 0;
    is_int(wtl_shares(&model, &made.interval, made.jobs, JOBS, by_time_j, &rest), -EINVAL,
           "no time");
}

/* A machine that switches on 12 W with its first CPU, whose second threads do half the work. */
static void test_learn(void)
{
    struct wtl_share_model model = {
        .rule = WTL_SHARE_CALIBRATED, .learns = true, .node = {.idle_w = 20, .smt_part = 0.25}};
    const struct wtl_node_model truth = {.idle_w = 20, .smt_part = 0.5};
    struct wtl_node_fit fit = {0};
    unsigned refused = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct made made;
        double terms[WTL_NODE_TERMS];
        make(&made, seed);
        for (unsigned i = 0; i < CPUS; i++) /* sometimes none is busy */
            made.busy_s[i] *= seed % 4 ? 0.15 : 1;
        const struct wtl_node_look look = {
            .seconds = 1, .cpus = CPUS, .core_of = core_of, .busy_s = made.busy_s};
        (void)wtl_node_terms(&truth, &look, NULL, 0, terms);
        made.interval.energy_j = 20 + 12 * terms[0] + 5 * terms[1] + 3;
        made.interval.devices_j = 3;
        refused += wtl_share_learn(&model, &fit, &made.interval, NULL, 0) != 0;
    }
    is_int(refused, 0, "intervals are taken");
    is_double(model.node.activation_w, 12, 1e-6, "activation power is learnt");
    is_double(model.node.smt_part, 0.5, 1e-6, "so is the weight of second threads");
    model.learns = false;
    model.node.activation_w = 1;
    struct made made;
    make(&made, 1);
    for (unsigned i = 0; i < 40; i++)
        (void)wtl_share_learn(&model, &fit, &made.interval, NULL, 0);
    is_double(model.node.activation_w, 1, 0, "a calibrated value stays");
}

int main(void)
{
    const struct wtl_share_model by_time = wtl_share_by_cpu_time(20, WTL_IDLE_GIVEN),
                                 unknown = wtl_share_by_cpu_time(NAN, WTL_IDLE_UNKNOWN);
    test_sum(&calibrated, "calibrated");
    test_sum(&by_time, "CPU time");
    test_sum(&unknown, "idle unknown");
    test_split(&calibrated, "calibrated");
    test_split(&by_time, "CPU time");
    test_equal_and_none(&calibrated, "calibrated");
    test_equal_and_none(&by_time, "CPU time");
    test_own_cpus();
    test_room();
    test_fallback();
    test_learn();
    return done_testing();
}
