/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of jobs: the rules documented in node_share.h, on a thousand random readings, and the fit
 * of the model. */
#include "account/node_share.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "account/node_fit.h"
#include "base/random.h"
#include "tap.h"

enum { CPUS = 8, JOBS = 4 };

static const struct wtl_node_model usual = {.idle_w = 20,
                                            .activation_w = 15,
                                            .smt_part = 0.3,
                                            .frequency_exponent = 2};

/* CPU i and i + 4 are threads of one core. */
static const uint32_t core_of[CPUS] = {0, 1, 2, 3, 0, 1, 2, 3};

/* A reading with room for one more job. */
struct made {
    double busy_s[CPUS], frequency_ghz[CPUS], used_s[(JOBS + 1) * CPUS];
    double activity[JOBS + 1], reserved[JOBS + 1];
    struct wtl_node_look look;
};

static void make(struct made *made, uint64_t seed)
{
    uint64_t at = 0;
    *made = (struct made){0};
    for (unsigned i = 0; i < CPUS; i++) {
        made->frequency_ghz[i] = 1 + 2 * wtl_random_uniform(seed, at++);
        for (unsigned j = 0; j < JOBS; j++) {
            double used = 0.2 * wtl_random_uniform(seed, at++);
            used = wtl_random_uniform(seed, at++) < 0.4 ? 0 : used;
            made->used_s[j * CPUS + i] = used;
            made->busy_s[i] += used;
        }
        made->busy_s[i] += 0.1 * wtl_random_uniform(seed, at++); /* outside the jobs */
    }
    for (unsigned j = 0; j < JOBS; j++) {
        made->activity[j] = 0.5 + wtl_random_uniform(seed, at++);
        made->reserved[j] = 0.25 * wtl_random_uniform(seed, at++);
    }
    made->look = (struct wtl_node_look){.energy_j = 10 + 90 * wtl_random_uniform(seed, at),
                                        .seconds = 1,
                                        .cpus = CPUS,
                                        .jobs = JOBS,
                                        .core_of = core_of,
                                        .busy_s = made->busy_s,
                                        .frequency_ghz = made->frequency_ghz,
                                        .used_s = made->used_s,
                                        .activity = made->activity,
                                        .reserved = made->reserved};
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static void test_sum(void)
{
    double worst = 0, least_share = INFINITY;
    unsigned below_idle = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct made made;
        double shares_j[JOBS];
        struct wtl_node_rest rest;
        make(&made, seed);
        refused += wtl_node_shares(&usual, &made.look, shares_j, &rest) != 0;
        worst = fmax(worst, fabs(sum_of(shares_j, JOBS) + rest.idle_j + rest.unattributed_j -
                                 made.look.energy_j));
        for (unsigned j = 0; j < JOBS; j++)
            least_share = fmin(least_share, shares_j[j] - usual.idle_w * made.reserved[j]);
        below_idle += made.look.energy_j < usual.idle_w && rest.unattributed_j < 0;
        if (made.look.energy_j >= usual.idle_w)
            worst = fmax(worst, -rest.unattributed_j);
    }
    is_int(refused, 0, "all looks are valid");
    ok(worst < 1e-12, "shares, idle and unattributed are the counter's energy, to %.2g J", worst);
    ok(least_share >= -1e-12, "nobody pays less than what they reserved");
    ok(below_idle > 50, "below idle, unattributed is negative (%u looks)", below_idle);
}

static void test_nothing_used(void)
{
    struct made made;
    double shares_j[JOBS];
    struct wtl_node_rest rest;
    make(&made, 1);
    for (unsigned i = 0; i < CPUS; i++)
        made.used_s[2 * CPUS + i] = 0;
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), 0, "a job without CPU time");
    is_double(shares_j[2], usual.idle_w * made.reserved[2], 1e-12, "pays what it reserved");
    made.look.reserved = NULL;
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), 0, "nothing is reserved");
    is_double(shares_j[2], 0, 0, "then it pays nothing");
    is_double(rest.idle_j, usual.idle_w, 1e-12, "and idle is the baseline");
    memset(made.used_s, 0, sizeof made.used_s);
    memset(made.busy_s, 0, sizeof made.busy_s);
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), 0, "no CPU was busy");
    is_double(rest.unattributed_j, made.look.energy_j - usual.idle_w, 1e-12,
              "what is above idle is nobody's");
}

/* Job 1 becomes a copy of job 0, on the other CPUs of a symmetric node. */
static void test_equal_jobs(void)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct made made;
        double shares_j[JOBS];
        struct wtl_node_rest rest;
        make(&made, seed);
        memset(made.used_s, 0, sizeof made.used_s);
        memset(made.busy_s, 0, sizeof made.busy_s);
        for (unsigned i = 0; i < CPUS; i++) {
            made.frequency_ghz[i] = 2;
            made.used_s[i % 2 * CPUS + i] = 0.3 + 0.1 * (double)(seed % 5) * (i / 2 % 2);
        }
        made.activity[1] = made.activity[0];
        made.reserved[1] = made.reserved[0];
        (void)wtl_node_shares(&usual, &made.look, shares_j, &rest);
        worst = fmax(worst, fabs(shares_j[0] - shares_j[1]));
    }
    ok(worst < 1e-12, "equal jobs pay equally, to %.2g J", worst);
}

/* A part of job 0, different on each CPU, becomes a separate job. */
static void test_split(void)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct made made;
        double whole_j[JOBS], split_j[JOBS + 1];
        struct wtl_node_rest rest, rest_split;
        make(&made, seed);
        (void)wtl_node_shares(&usual, &made.look, whole_j, &rest);
        for (unsigned i = 0; i < CPUS; i++) {
            double part = wtl_random_uniform(seed + 5000, i);
            made.used_s[JOBS * CPUS + i] = made.used_s[i] * part;
            made.used_s[i] *= 1 - part;
        }
        made.activity[JOBS] = made.activity[0];
        made.reserved[JOBS] = made.reserved[0] / 3;
        made.reserved[0] -= made.reserved[JOBS];
        made.look.jobs = JOBS + 1;
        (void)wtl_node_shares(&usual, &made.look, split_j, &rest_split);
        worst = fmax(worst, fabs(split_j[0] + split_j[JOBS] - whole_j[0]));
        for (unsigned j = 1; j < JOBS; j++)
            worst = fmax(worst, fabs(split_j[j] - whole_j[j]));
        worst = fmax(worst, fabs(rest_split.unattributed_j - rest.unattributed_j));
    }
    ok(worst < 1e-12, "splitting a job changes nothing, to %.2g J", worst);
}

/* Two CPUs, each busy for half of the time, and half of that by itself. */
static void test_activation(void)
{
    const struct wtl_node_model model = {.activation_w = 12, .smt_part = 1};
    const uint32_t cores[2] = {0, 1};
    const double busy_s[2] = {0.5, 0.5}, used_s[4] = {0.5, 0, 0, 0.25};
    const struct wtl_node_look look = {.energy_j = 19,
                                       .seconds = 1,
                                       .cpus = 2,
                                       .jobs = 2,
                                       .core_of = cores,
                                       .busy_s = busy_s,
                                       .used_s = used_s};
    double shares_j[2];
    struct wtl_node_rest rest;
    /* Some CPU is busy for 0.75 s: 9 J, half for each CPU; the other 10 J likewise. */
    is_int(wtl_node_shares(&model, &look, shares_j, &rest), 0, "activation");
    is_double(shares_j[0], 9.5, 1e-12, "half to the first CPU");
    is_double(shares_j[1], 4.75, 1e-12, "a half of the other half");
    is_double(rest.unattributed_j, 4.75, 1e-12, "the rest is nobody's");
}

static void test_sibling(void)
{
    const struct wtl_node_model model = {.smt_part = 0.2};
    const uint32_t cores[4] = {0, 0, 2, 3};
    const double busy_s[4] = {1, 1, 1, 0}, used_s[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const struct wtl_node_look look = {.energy_j = 22,
                                       .seconds = 1,
                                       .cpus = 4,
                                       .jobs = 3,
                                       .core_of = cores,
                                       .busy_s = busy_s,
                                       .used_s = used_s};
    double shares_j[3];
    struct wtl_node_rest rest;
    is_int(wtl_node_shares(&model, &look, shares_j, &rest), 0, "siblings");
    is_double(shares_j[0], 6, 1e-12, "two threads of a core do the work of 1.2");
    is_double(shares_j[1], 6, 1e-12, "each half of it");
    is_double(shares_j[2], 10, 1e-12, "the one that is alone on its core");
}

/* Memory: the same rule, with traffic per CPU second as activity. */
static void test_memory(void)
{
    const struct wtl_node_model model = {.idle_w = 6, .smt_part = 1};
    const uint32_t cores[2] = {0, 1};
    const double busy_s[2] = {1, 1}, used_s[4] = {1, 0, 0, 0.5}, none[2] = {0, 0};
    double activity[2] = {3, 1};
    struct wtl_node_look look = {.energy_j = 26,
                                 .seconds = 1,
                                 .cpus = 2,
                                 .jobs = 2,
                                 .core_of = cores,
                                 .busy_s = busy_s,
                                 .used_s = used_s,
                                 .activity = activity};
    double shares_j[2], tenfold_j[2];
    struct wtl_node_rest rest;
    /* Traffic 3 and 0.5; half a CPU second outside the jobs counts with their mean, 7/3: 7/6. */
    is_int(wtl_node_shares(&model, &look, shares_j, &rest), 0, "memory");
    is_double(shares_j[0], 20 * 3 / (3.5 + 7 / 6.0), 1e-12, "in proportion to traffic");
    is_double(shares_j[1], 20 * 0.5 / (3.5 + 7 / 6.0), 1e-12, "of each job");
    is_double(rest.idle_j, 6, 0, "above the baseline");
    is_double(rest.unattributed_j, 20 * (7 / 6.0) / (3.5 + 7 / 6.0), 1e-12, "the rest is nobody's");
    activity[0] *= 10;
    activity[1] *= 10;
    (void)wtl_node_shares(&model, &look, tenfold_j, &rest);
    is_double(tenfold_j[0], shares_j[0], 1e-12, "the unit of traffic does not matter");
    look.activity = none;
    (void)wtl_node_shares(&model, &look, shares_j, &rest);
    is_double(shares_j[0] + shares_j[1], 0, 0, "no traffic, no charge");
    is_double(rest.unattributed_j, 20, 1e-12, "all above idle is nobody's");
}

static void test_fit(void)
{
    const struct wtl_node_model truth = {.idle_w = 20,
                                         .activation_w = 14,
                                         .smt_part = 0.25,
                                         .frequency_exponent = 2,
                                         .reference_ghz = 2};
    struct wtl_node_model found = {.idle_w = 20,
                                   .activation_w = 3,
                                   .smt_part = 0.5,
                                   .frequency_exponent = 2,
                                   .reference_ghz = 2};
    struct wtl_node_fit fit = {0};
    struct wtl_node_activity activity;
    unsigned refused = 0;
    is_int(wtl_node_fit_solve(&fit, &found, &activity), -ENODATA, "no look");
    is_double(found.smt_part, 0.5, 0, "leaves the model as it is");
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct made made;
        double terms[WTL_NODE_TERMS], ratios[JOBS];
        make(&made, seed);
        for (unsigned i = 0; i < CPUS; i++) /* some idle ones, or some CPU is always busy */
            made.busy_s[i] *= seed % 4 ? 0.2 : 1;
        for (unsigned i = 0; i < JOBS * CPUS; i++)
            made.used_s[i] *= seed % 4 ? 0.2 : 1;
        for (unsigned j = 0; j < JOBS; j++)
            ratios[j] = wtl_random_uniform(seed, 1000 + j);
        (void)wtl_node_terms(&truth, &made.look, ratios, 1, terms);
        made.look.energy_j = 20 + 14 * terms[0] + 6 * terms[1] + 3 * terms[2];
        refused += wtl_node_fit_add(&fit, &found, &made.look, ratios, 1) != 0;
    }
    is_int(refused, 0, "looks are taken");
    is_int(wtl_node_fit_solve(&fit, &found, &activity), 0, "solved");
    is_double(found.activation_w, 14, 1e-6, "activation");
    is_double(found.smt_part, 0.25, 1e-6, "second threads");
    is_double(activity.core_w, 6, 1e-6, "power of a core");
    is_double(activity.ratio_w[0], 3, 1e-6, "and with a ratio");
}

/* One CPU that is always busy: activation cannot be distinguished from the core's own power, and
 * there is no second thread. */
static void test_undetermined(void)
{
    const uint32_t cores[1] = {0};
    const double busy_s[1] = {1};
    const struct wtl_node_look look = {
        .energy_j = 30, .seconds = 1, .cpus = 1, .core_of = cores, .busy_s = busy_s};
    struct wtl_node_model model = {.idle_w = 20, .activation_w = 3, .smt_part = 0.5};
    struct wtl_node_fit fit = {0};
    struct wtl_node_activity activity;
    for (unsigned i = 0; i < 10; i++)
        (void)wtl_node_fit_add(&fit, &model, &look, NULL, 0);
    is_int(wtl_node_fit_solve(&fit, &model, &activity), 0, "a CPU that is always busy");
    is_double(model.activation_w, 3, 0, "activation stays as given");
    is_double(model.smt_part, 0.5, 0, "so does the weight of second threads");
    is_double(activity.core_w, 10, 1e-9, "the core's power is found");
}

static void test_bad(void)
{
    struct made made;
    double shares_j[JOBS];
    struct wtl_node_rest rest;
    struct wtl_node_model model = usual;
    make(&made, 1);
    made.used_s[3] = NAN;
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), -EINVAL, "no number");
    make(&made, 1);
    made.look.seconds = 0;
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), -EINVAL, "no time");
    make(&made, 1);
    made.reserved[0] = 2;
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), -EINVAL,
           "more reserved than there is");
    make(&made, 1);
    const uint32_t three[CPUS] = {0, 0, 0, 1, 2, 3, 4, 5};
    made.look.core_of = three;
    is_int(wtl_node_shares(&usual, &made.look, shares_j, &rest), -EINVAL,
           "three threads of a core");
    model.smt_part = 1.5;
    make(&made, 1);
    is_int(wtl_node_shares(&model, &made.look, shares_j, &rest), -EINVAL, "a model out of range");
}

int main(void)
{
    test_sum();
    test_nothing_used();
    test_equal_jobs();
    test_split();
    test_activation();
    test_sibling();
    test_memory();
    test_fit();
    test_undetermined();
    test_bad();
    return done_testing();
}
