/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares update by update on a synthetic host: with the rest they add up to the counter's
 * energy. */
#define _GNU_SOURCE
#include "cli/top/live_processes.h"

#include <math.h>

#include "../sensors/made_host.h"
#include "tap.h"

#define SECOND UINT64_C(1000000000)
#define STAT(pid, user, start) \
#    pid " (p" #    pid ") S 1 1 1 0 -1 0 0 0 0 0 " #    user " 0 0 0 20 0 1 0 " #    start " 0 0"

/* Two CPUs. 100 uses 1 s per second from 1 s on; 200 uses 0.5 s from 1 to 2 s and ends; idle
 * before. */
static const char script[] = "1.5\t/proc/100/stat\t" STAT(
    100,
    100,
    10) "\n"
        "2.5\t/proc/100/stat\t" STAT(100,
                                     200,
                                     10) "\n"
                                         "3.5\t/proc/100/stat\t" STAT(
                                             100,
                                             300,
                                             10) "\n"
                                                 "1.5\t/proc/200/stat\t" STAT(
                                                     200,
                                                     50,
                                                     10) "\n"
                                                         "2.5\t/proc/200\t!gone\n"
                                                         "0\t/proc/stat\tcpu 0 0 0 10000 0 0 0 "
                                                         "0\\ncpu0 0 0 0 10000 0 0 0 0\\n\n";

static struct wtl_live_processes processes;

static double shown_w = NAN; /* the power of the total, as it is shown */

static void look(struct made_host *host, double seconds, double total_j, double total_s)
{
    struct wattle_error err = {""};
    (void)host->world->ops->sleep_until(host->world, 1000 * SECOND + (uint64_t)(seconds * 1e9));
    int rc = wtl_live_processes_look(&processes, total_j, 0, (uint64_t)((1000 + total_s) * 1e9),
                                     WATTLE_MEASURED, shown_w, &err);
    is_int(rc, 0, "look at %g s %s", seconds, err.text);
}

static double sum_j(void)
{
    double sum = processes.table.ended_energy_j;
    for (size_t i = 0; i < processes.table.count; i++)
        sum += processes.table.items[i].energy_j;
    return sum;
}

static void test_shares(void)
{
    struct made_host host = {0};
    struct wattle_error err = {""};
    made_host_put(&host, "root/proc/self/stat", "");
    made_host_put(&host, "root/proc/stat", "cpu 0 0 0 0\n");
    made_host_put(&host, "root/proc/100/stat", STAT(100, 0, 10));
    made_host_put(&host, "root/proc/200/stat", STAT(200, 0, 10));
    made_host_put(&host, "root/sys/devices/system/cpu/online", "0-1\n");
    made_host_put(&host, "root/sys/devices/system/cpu/present", "0-1\n");
    made_host_put(&host, "script.tsv", script);
    is_int(wtl_live_processes_open(&processes, made_host_open(&host), 20, &err), 0, "opens %s",
           err.text);
    if (processes.has_busy)
        wtl_busy_close(&processes.busy);
    processes.has_busy = false; /* the machine's clock: the same as the processes' */
    is_double(processes.cpus, 2, 0, "two CPUs");
    look(&host, 1, 0, 0.9);
    ok(!processes.known, "the first look knows no shares");
    /* 1 s, 50 J: 30 J above idle as 1 : 0.5; idle is nobody's. */
    look(&host, 2, 50, 1.9);
    ok(processes.known, "the second does");
    is_double(processes.table.items[0].power_w, 20, 1e-9, "process 100");
    is_double(processes.table.items[1].power_w, 10, 1e-9, "process 200");
    is_double(processes.since.idle_j, 20, 1e-9, "idle");
    look(&host, 3, 50, 1.9);
    is_double(processes.table.items[0].power_w, 20, 1e-9, "no energy has come: what was, stays");
    /* A GPU has a newer reading than the package: the total that is shown is another. */
    shown_w = 75;
    look(&host, 3, 50, 1.9);
    shown_w = NAN;
    is_double(processes.table.items[0].power_w, 30, 1e-9, "the parts are those of the power shown");
    is_double(processes.power_w.jobs_j + processes.power_w.idle_j +
                  processes.power_w.unattributed_j,
              75, 1e-9, "and add up to it");
    is_double(processes.since.idle_j, 20, 1e-9, "energy stays what it is");
    /* 2 s, 100 J, in which 2 s of CPU time were used by 100: the sensor was late. */
    look(&host, 4, 150, 3.9);
    is_double(processes.table.items[0].power_w, 60 / 2.0, 1e-9, "CPU time has waited for it");
    is_double(sum_j() + processes.since.idle_j + processes.since.unattributed_j, 150, 1e-9,
              "all together: what the counter gained");
    is_double(processes.since.jobs_j, sum_j(), 1e-9, "those that ended are in the sum");
    is_double(processes.table.ended_energy_j, 10, 1e-9, "as what they had");
    look(&host, 5, NAN, 3.9);
    ok(!processes.known, "energy unknown: no shares");
    ok(isnan(processes.table.items[0].power_w), "and none of a process");
    look(&host, 6, 200, 5.9);
    ok(!processes.known, "nor over the time that is not known");
    is_double(processes.since.unattributed_j, 50, 1e-9, "its energy is nobody's");
    is_double(sum_j() + processes.since.idle_j + processes.since.unattributed_j, 200, 1e-9,
              "and the sum is the counter again");
    wtl_live_processes_reset(&processes);
    is_double(sum_j(), 0, 0, "zeroed");
    wtl_live_processes_close(&processes);
    made_host_close(&host);
}

static void test_idle(void)
{
    struct made_host host = {0};
    struct wattle_error err = {""};
    made_host_put(&host, "root/proc/self/stat", "");
    made_host_put(&host, "root/proc/100/stat", STAT(100, 0, 10));
    made_host_put(&host, "root/sys/devices/system/cpu/online", "0-1\n");
    made_host_put(&host, "root/sys/devices/system/cpu/present", "0-1\n");
    made_host_put(&host, "root/proc/stat",
                  "cpu 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n");
    made_host_put(
        &host, "script.tsv",
        "0\t/proc/stat\tcpu 0 0 0 0 0 0 0 0\\ncpu0 0 0 0 0 0 0 0 0\\ncpu1 0 0 0 0 0 0 0 0\\n\n"
        "1.5\t/proc/stat\tcpu 0 0 0 200 0 0 0 0\\ncpu0 0 0 0 0 0 0 0 0\\n\n"
        "2.5\t/proc/stat\tcpu 0 0 0 400 0 0 0 0\\ncpu0 0 0 0 0 0 0 0 0\\n\n"
        "3.5\t/proc/stat\tcpu 0 0 0 400 0 0 0 0\\ncpu0 0 0 0 0 0 0 0 0\\n\n");
    is_int(wtl_live_processes_open(&processes, made_host_open(&host), NAN, &err), 0, "opens %s",
           err.text);
    ok(processes.has_busy, "the machine's own clock");
    look(&host, 1, 0, 1);
    is_int(processes.model.idle, WTL_IDLE_UNKNOWN, "idle power unknown");
    look(&host, 2, 30, 2);
    look(&host, 3, 70, 3);
    is_int(processes.model.idle, WTL_IDLE_SEEN, "seen while nothing ran");
    is_double(processes.model.node.idle_w, 35, 1e-9, "the mean");
    look(&host, 4, 170, 4);
    is_double(processes.load, 1, 1e-6, "now it is busy");
    is_double(processes.model.node.idle_w, 35, 1e-9, "which says nothing of idle");
    is_double(processes.power_w.unattributed_j, 65, 1e-6, "CPU time of nobody in the list");
    is_double(processes.power_w.idle_j, 35, 1e-6, "above idle");
    const struct wtl_share_model model = wtl_share_by_cpu_time(12, WTL_IDLE_MODEL);
    wtl_live_processes_model(&processes, &model, 4);
    is_double(processes.model.node.idle_w, 12, 0, "a model goes before");
    wtl_live_processes_close(&processes);
    made_host_close(&host);
}

int main(void)
{
    test_shares();
    test_idle();
    return done_testing();
}
