/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares by hardware counters, against machines whose power is known: two programs whose CPU seconds cost up to twice as much. */
#include "account/share_looks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tap.h"

enum { CPUS = 8, JOBS = WTL_SHARE_LOOKS_JOBS };

static const uint32_t core_of[CPUS] = {0, 1, 2, 3, 4, 5, 6, 7};
static const double IDLE_W = 20;

struct machine {
    uint64_t seed, at;
    double core_w, ipc_w, miss_w, activation_w, noise_w; /* of a busy CPU; miss_w by 1,000 cycles */
    double data_w,
        data[JOBS]; /* of a busy CPU: what no counter shows; data: now, 0 to 1, changes slowly */
    double ipc[JOBS], misses[JOBS]; /* mean, per cycle and per 1,000 */
    double truth_j[JOBS], all_j, seconds, used_s[JOBS];
};

static double uniform(struct machine *m)
{
    return wtl_random_uniform(m->seed, m->at++);
}

/* A quarter of a second; the programs do more or less for a while. */
static int look(struct machine *m, struct wtl_share_looks *looks)
{
    double busy_s[CPUS], power_w = IDLE_W, none = 1, seconds = 0.25;
    struct wtl_share_events events[JOBS];
    struct wtl_share_job jobs[JOBS];
    for (unsigned j = 0; j < JOBS; j++) {
        double load = 0.1 + 0.8 * uniform(m), used_s = load * seconds * CPUS / 2;
        double ipc = m->ipc[j] * (0.6 + 0.8 * uniform(m)), misses = m->misses[j] * 2 * uniform(m);
        if (m->data_w > 0 && uniform(m) < 0.1)
            m->data[j] = uniform(m);
        double own_w = used_s / seconds *
                       (m->core_w + m->ipc_w * ipc + m->miss_w * misses + m->data_w * m->data[j]);
        events[j] = (struct wtl_share_events){.cycles = used_s * 2e9,
                                              .instructions = used_s * 2e9 * ipc,
                                              .misses = used_s * 2e6 * misses};
        jobs[j] = (struct wtl_share_job){.used_s = used_s, .events = &events[j]};
        for (unsigned c = j; c < CPUS; c += JOBS) {
            busy_s[c] = load * seconds;
            none *= 1 - load;
        }
        power_w += own_w;
        m->truth_j[j] += own_w * seconds;
        m->used_s[j] += used_s;
    }
    double activation_w = m->activation_w * (1 - none);
    for (unsigned j = 0; j < JOBS; j++) /* by busy CPUs, about */
        m->truth_j[j] +=
            activation_w * seconds * jobs[j].used_s / (jobs[0].used_s + jobs[1].used_s);
    double energy_j = (power_w + activation_w + m->noise_w * (uniform(m) - 0.5)) * seconds;
    m->all_j += energy_j;
    m->seconds += seconds;
    const struct wtl_share_cpus cpus = {.count = CPUS, .core_of = core_of, .busy_s = busy_s};
    const struct wtl_share_interval interval = {
        .energy_j = energy_j, .seconds = seconds, .cpus = &cpus, .quality = WATTLE_MEASURED};
    return wtl_share_looks_add(looks, &interval, jobs);
}

static struct wtl_share_looks *create(bool calibrated)
{
    struct wtl_share_model model =
        wtl_share_by_cpu_time(calibrated ? IDLE_W : (double)NAN, WTL_IDLE_GIVEN);
    if (calibrated)
        model = (struct wtl_share_model){.rule = WTL_SHARE_CALIBRATED,
                                         .idle = WTL_IDLE_CALIBRATED,
                                         .node = {.idle_w = IDLE_W, .smt_part = 0.5},
                                         .learns = true};
    struct wtl_share_looks *looks = wtl_share_looks_create(&model, CPUS, core_of);
    if (!looks)
        abort();
    return looks;
}

static int divide(const struct machine *m,
                  const struct wtl_share_looks *looks,
                  double *shares_j,
                  double *halves_j,
                  struct wtl_share_rest *rest)
{
    const bool *const may_on[JOBS] = {NULL, NULL};
    const struct wtl_share_interval whole = {.energy_j = m->all_j + 7,
                                             .devices_j = 7,
                                             .seconds = m->seconds,
                                             .quality = WATTLE_MEASURED};
    return wtl_share_looks_divide(looks, &whole, may_on, shares_j, halves_j, rest);
}

/* Sum over programs of what is wrong, of the energy above idle. */
static double error_of(const struct machine *m, const double *shares_j)
{
    double off = 0, all = 0;
    for (unsigned j = 0; j < JOBS; j++) {
        off += fabs(shares_j[j] - m->truth_j[j]);
        all += m->truth_j[j];
    }
    return off / all;
}

static struct machine make(uint64_t seed)
{
    struct machine m = {
        .seed = seed, .core_w = 2, .ipc_w = 2, .miss_w = 0.3, .activation_w = 10, .noise_w = 1};
    for (unsigned j = 0; j < JOBS; j++) {
        m.ipc[j] = j ? 0.4 : 2;
        m.misses[j] = 5 * uniform(&m);
    }
    return m;
}

static void test_truth(unsigned count, const char *what)
{
    double worst = 0, by_time = 0, sums = 0;
    unsigned counted = 0, worlds = 30;
    for (uint64_t seed = 1; seed <= worlds; seed++) {
        struct machine m = make(seed);
        struct wtl_share_looks *looks = create(true);
        double shares_j[JOBS], halves_j[JOBS], time_j[JOBS];
        struct wtl_share_rest rest = {0};
        int rc = 0;
        for (unsigned i = 0; i < count && rc == 0; i++)
            rc = look(&m, looks);
        counted += rc == 0 && divide(&m, looks, shares_j, halves_j, &rest) == 0 &&
                   rest.rule == WTL_SHARE_COUNTERS && rest.quality == WATTLE_DERIVED;
        worst = fmax(worst, error_of(&m, shares_j));
        for (unsigned j = 0; j < JOBS; j++)
            time_j[j] = (m.truth_j[0] + m.truth_j[1]) * m.used_s[j] / (m.used_s[0] + m.used_s[1]);
        by_time += error_of(&m, time_j) / worlds;
        sums = fmax(sums, fabs(shares_j[0] + shares_j[1] + rest.idle_j + rest.unattributed_j -
                               m.all_j - 7));
        is_double(rest.idle_j, IDLE_W * m.seconds, 1e-6 * m.seconds, "idle is the baseline");
        wtl_share_looks_destroy(looks);
    }
    is_int(counted, worlds, "%s: by counters", what);
    ok(worst < 0.02, "%s: worst error %.2f %%", what, 100 * worst);
    ok(by_time > 0.1, "%s: CPU time errs by %.1f %%", what, 100 * by_time);
    ok(sums < 1e-8, "%s: shares, idle and unattributed are the energy", what);
}

/* Programs that do not differ are not divided by chance. */
static void test_no_difference(void)
{
    unsigned refused = 0, worlds = 200;
    for (uint64_t seed = 1; seed <= worlds; seed++) {
        struct machine m = make(seed);
        struct wtl_share_looks *looks = create(seed % 2);
        double shares_j[JOBS], halves_j[JOBS];
        struct wtl_share_rest rest;
        m.ipc_w = m.miss_w = 0;
        m.noise_w = 10;
        for (unsigned i = 0; i < 40; i++)
            (void)look(&m, looks);
        refused += divide(&m, looks, shares_j, halves_j, &rest) == -ENOENT;
        wtl_share_looks_destroy(looks);
    }
    ok(refused >= 196, "noise is not taken for a difference (%u of %u)", refused, worlds);
}

/* Power depends on the data, too, which counters do not show: the less they tell, the wider the intervals, and where they hardly tell
 * more than CPU time they are not used. */
static void test_hardly_learnt(void)
{
    static const double datas_w[] = {0.5, 2, 6, 12};
    unsigned within = 0, all = 0, counted = 0, far = 0, worlds = 100;
    for (uint64_t seed = 1; seed <= worlds; seed++) {
        struct machine m = make(seed);
        struct wtl_share_looks *looks = create(true);
        double shares_j[JOBS], halves_j[JOBS];
        struct wtl_share_rest rest = {0};
        m.data_w = datas_w[seed % 4];
        for (unsigned i = 0; i < 30 + 40 * (seed % 3); i++)
            (void)look(&m, looks);
        if (divide(&m, looks, shares_j, halves_j, &rest) == 0) {
            counted++;
            far += error_of(&m, shares_j) > 0.1;
            for (unsigned j = 0; j < JOBS; j++, all++)
                within += fabs(shares_j[j] - m.truth_j[j]) <= halves_j[j];
        }
        wtl_share_looks_destroy(looks);
    }
    ok(counted >= worlds / 5, "counters are used where they tell enough (%u of %u)", counted,
       worlds);
    ok(far == 0, "never for shares that are a tenth off (%u)", far);
    ok(within >= 0.95 * all, "the truth is in the intervals (%u of %u)", within, all);
}

/* Idle power is unknown: it is divided by CPU time, and the difference between the programs remains. */
static void test_idle_unknown(void)
{
    struct machine m = make(3);
    struct wtl_share_looks *looks = create(false);
    double shares_j[JOBS], halves_j[JOBS];
    struct wtl_share_rest rest = {0};
    for (unsigned i = 0; i < 100; i++)
        (void)look(&m, looks);
    is_int(divide(&m, looks, shares_j, halves_j, &rest), 0, "divided");
    is_double(rest.idle_j, 0, 0, "nothing is idle");
    is_int(rest.quality, WATTLE_ESTIMATED, "estimated");
    for (unsigned j = 0; j < JOBS; j++)
        m.truth_j[j] += IDLE_W * m.seconds * m.used_s[j] / (m.used_s[0] + m.used_s[1]);
    ok(error_of(&m, shares_j) < 0.05, "error %.2f %%", 100 * error_of(&m, shares_j));
    wtl_share_looks_destroy(looks);
}

static void test_few(void)
{
    struct machine m = make(1);
    struct wtl_share_looks *looks = create(true);
    double shares_j[JOBS], halves_j[JOBS];
    struct wtl_share_rest rest;
    for (unsigned i = 0; i < 19; i++)
        (void)look(&m, looks);
    is_int(divide(&m, looks, shares_j, halves_j, &rest), -ENODATA, "too few looks");
    wtl_share_looks_destroy(looks);
}

int main(void)
{
    test_truth(60, "15 s");
    test_truth(WTL_SHARE_LOOKS + 1, "one look too many");
    test_truth(5 * WTL_SHARE_LOOKS + 77, "merged");
    test_no_difference();
    test_hardly_learnt();
    test_idle_unknown();
    test_few();
    return done_testing();
}
