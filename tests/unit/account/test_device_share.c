/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy of devices belongs to the jobs that have reserved them, else to those whose processes used them: the rules, one by one, and on
 * random devices that change hands, against simulated truth. */
#include "account/device_share.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tap.h"

enum { JOBS = 3, ENTRIES = 4, LOOKS = 50 };

static void check(const char *what,
                  const struct wtl_device_claim *claims,
                  double others,
                  enum wtl_device_rule rule,
                  const double *want,
                  double want_idle)
{
    double parts[ENTRIES], idle = (double)NAN, worst = 0;
    is_int(wtl_device_parts(claims, ENTRIES, others, parts, &idle), rule, "%s: rule", what);
    for (unsigned i = 0; i < ENTRIES; i++)
        worst = fmax(worst, fabs(parts[i] - want[i]));
    ok(worst < 1e-12 && idle == want_idle, "%s: %g %g %g %g, idle %g", what, parts[0], parts[1],
       parts[2], parts[3], idle);
}

/* Entries: jobs 0, 1 and 2, and a step of job 0. */
static void test_rules(void)
{
    const struct wtl_device_claim
        none[] = {{0, false, 0}, {1, false, 0}, {2, false, 0}, {0, false, 0}},
        own[] = {{0, false, 0}, {1, true, 0}, {2, false, 0.5}, {0, false, 0}},
        step[] = {{0, true, 0}, {1, false, 0}, {2, false, 0}, {0, true, 0}},
        only_step[] = {{0, false, 0}, {1, false, 0}, {2, false, 0}, {0, true, 0}},
        two[] = {{0, true, 0}, {1, true, 0.3}, {2, false, 0}, {0, false, 0.1}},
        idle[] = {{0, true, 0}, {1, true, 0}, {2, false, 0}, {0, false, 0}};
    const double zero[ENTRIES] = {0}, second[] = {0, 1, 0, 0}, last[] = {0, 0, 0, 1},
                 used[] = {0, 0.75, 0, 0.25}, half[] = {0, 0.375, 0, 0.125};
    check("reserved by one, used by another", own, 0, WTL_DEVICE_RESERVED, second, 0);
    check("reserved by one, use unknown", own, (double)NAN, WTL_DEVICE_RESERVED, second, 0);
    check("by a job and its step", step, 0, WTL_DEVICE_RESERVED, last, 0);
    check("by a step", only_step, 0, WTL_DEVICE_RESERVED, last, 0);
    check("by two", two, 0, WTL_DEVICE_USE, used, 0);
    check("by two, and others use it", two, 0.4, WTL_DEVICE_USE, half, 0);
    check("by two, use unknown", two, (double)NAN, WTL_DEVICE_UNKNOWN, zero, 0);
    check("by two, idle", idle, 0, WTL_DEVICE_USE, zero, 1);
    check("by nobody, idle", none, 0, WTL_DEVICE_USE, zero, 1);
    check("by nobody, used by others", none, 0.1, WTL_DEVICE_USE, zero, 0);
    ok(wtl_device_has_owner(own, ENTRIES) && wtl_device_has_owner(step, ENTRIES) &&
           !wtl_device_has_owner(two, ENTRIES) && !wtl_device_has_owner(none, ENTRIES) &&
           !wtl_device_has_owner(NULL, 0),
       "who has an owner");
}

/* A device changes hands between looks, is shared now and then, and is used by others: each job has what its truth says. */
static void test_truth(void)
{
    double worst = 0, worst_sum = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        double truth_j[JOBS] = {0}, shares_j[JOBS] = {0}, counter_j = 0, rest_j = 0;
        uint64_t at = 0;
        for (unsigned i = 0; i < LOOKS; i++) {
            struct wtl_device_claim claims[JOBS];
            double parts[JOBS], idle = 0, sum = 0;
            double energy_j = 30 + 300 * wtl_random_uniform(seed, at++);
            size_t owner = (size_t)(wtl_random_uniform(seed, at++) * (JOBS + 1));
            bool shared = wtl_random_uniform(seed, at++) < 0.3;
            double others = owner == JOBS ? wtl_random_uniform(seed, at++) : 0;
            for (unsigned j = 0; j < JOBS; j++) {
                claims[j] = (struct wtl_device_claim){j, j == owner || shared,
                                                      wtl_random_uniform(seed, at++)};
                sum += claims[j].used;
            }
            for (unsigned j = 0; j < JOBS; j++)
                truth_j[j] += owner == j && !shared ? energy_j
                              : owner < JOBS && !shared
                                  ? 0
                                  : energy_j * claims[j].used / (sum + others);
            (void)wtl_device_parts(claims, JOBS, others, parts, &idle);
            counter_j += energy_j;
            rest_j += energy_j * idle;
            for (unsigned j = 0; j < JOBS; j++)
                shares_j[j] += energy_j * parts[j];
            rest_j += energy_j * others / (sum + others) * (owner == JOBS);
        }
        double sum_j = rest_j;
        for (unsigned j = 0; j < JOBS; j++) {
            worst = fmax(worst, fabs(shares_j[j] - truth_j[j]) / counter_j);
            sum_j += shares_j[j];
        }
        worst_sum = fmax(worst_sum, fabs(sum_j - counter_j) / counter_j);
    }
    ok(worst < 1e-12, "each job has its energy, to %.2g", worst);
    ok(worst_sum < 1e-12, "and all of them the counter's, to %.2g", worst_sum);
}

int main(void)
{
    test_rules();
    test_truth();
    return done_testing();
}
