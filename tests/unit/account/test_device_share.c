/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy of devices belongs to the jobs that own them: against simulated truth, and the processes that use one. */
#define _GNU_SOURCE
#include "account/device_share.h"

#include <errno.h>
#include <math.h>

#include "../sensors/made_host.h"
#include "base/random.h"
#include "tap.h"

enum { JOBS = 3, DEVICES = 4, LOOKS = 50 };

static void test_owner(void)
{
    const size_t one[] = {1, 1, 1}, two[] = {1, 2, 1}, unknown[] = {1, WTL_JOB_NONE},
                 no_job[] = {JOBS};
    is_int((long long)wtl_device_owner(WTL_JOB_NONE, one, 3, JOBS), 1, "the job of all its users");
    ok(wtl_device_owner(WTL_JOB_NONE, two, 3, JOBS) == WTL_JOB_NONE, "two jobs: nobody");
    ok(wtl_device_owner(WTL_JOB_NONE, unknown, 2, JOBS) == WTL_JOB_NONE, "one unknown: nobody");
    ok(wtl_device_owner(WTL_JOB_NONE, NULL, 0, JOBS) == WTL_JOB_NONE, "no user: nobody");
    ok(wtl_device_owner(WTL_JOB_NONE, no_job, 1, JOBS) == WTL_JOB_NONE, "not a job: nobody");
    is_int((long long)wtl_device_owner(2, two, 3, JOBS), 2, "who reserved it");
    is_int((long long)wtl_device_owner(2, NULL, 0, JOBS), 2, "even without using it");
}

/* Devices change hands between looks; now and then two jobs use one, or nobody does. */
static void test_truth(void)
{
    double worst = 0, worst_sum = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        double truth_j[JOBS] = {0}, shares_j[JOBS] = {0}, counter_j = 0, nobody_j = 0,
               truth_no_j = 0;
        uint64_t at = 0;
        for (unsigned i = 0; i < LOOKS * DEVICES; i++) {
            size_t first = (size_t)(wtl_random_uniform(seed, at++) * (JOBS + 1)), users[2];
            bool second = wtl_random_uniform(seed, at++) < 0.1;
            double energy_j = 30 + 300 * wtl_random_uniform(seed, at++);
            users[0] = first < JOBS ? first : WTL_JOB_NONE;
            users[1] = second ? (first + 1) % JOBS : users[0];
            counter_j += energy_j;
            *(first < JOBS && !second ? &truth_j[first] : &truth_no_j) += energy_j;
            (void)wtl_device_share(energy_j, wtl_device_owner(WTL_JOB_NONE, users, 2, JOBS), JOBS,
                                   shares_j, &nobody_j);
        }
        double sum_j = nobody_j;
        for (unsigned j = 0; j < JOBS; j++) {
            worst = fmax(worst, fabs(shares_j[j] - truth_j[j]));
            sum_j += shares_j[j];
        }
        worst = fmax(worst, fabs(nobody_j - truth_no_j));
        worst_sum = fmax(worst_sum, fabs(sum_j - counter_j) / counter_j);
    }
    is_double(worst, 0, 0, "each job has the energy of the devices while they were its own");
    ok(worst_sum < 1e-14, "shares and unattributed are the counters' energy, to %.2g", worst_sum);
    double shares_j[JOBS] = {0}, nobody_j = 0;
    is_int(wtl_device_share(-1, 0, JOBS, shares_j, &nobody_j), -EINVAL, "negative energy");
    is_int(wtl_device_share(NAN, 0, JOBS, shares_j, &nobody_j), -EINVAL, "unknown energy");
}

static void put_link(struct made_host *host, const char *name, const char *target)
{
    char path[256], file[256];
    (void)snprintf(file, sizeof file, "%s", name);
    made_host_put(host, file, ""); /* and its folders */
    (void)snprintf(path, sizeof path, "%s/%s", host->folder, name);
    (void)unlink(path);
    ok(symlink(target, path) == 0, "%s is a link", name);
}

static void test_users(void)
{
    struct made_host host = {0};
    struct wattle_error err = {""};
    pid_t pids[2] = {0};
    put_link(&host, "root/proc/100/fd/0", "/dev/null");
    put_link(&host, "root/proc/100/fd/7", "/dev/nvidia0");
    put_link(&host, "root/proc/200/fd/3", "/dev/nvidia1");
    put_link(&host, "root/proc/300/fd/3", "/dev/nvidia0");
    made_host_put(&host, "root/proc/400/stat", "");
    made_host_put(&host, "root/proc/stat", "");
    const struct wtl_world *world = made_host_open(&host);
    is_int(wtl_device_users(world, "/dev/nvidia0", pids, 2, &err), 2, "two use it %s", err.text);
    ok(pids[0] == 100 && pids[1] == 300, "these");
    is_int(wtl_device_users(world, "/dev/nvidia0", pids, 1, &err), 2, "also if there is no room");
    is_int(wtl_device_users(world, "/dev/nvidia2", pids, 2, &err), 0, "none");
    made_host_close(&host);
}

int main(void)
{
    test_owner();
    test_truth();
    test_users();
    return done_testing();
}
