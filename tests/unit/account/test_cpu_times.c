/* SPDX-License-Identifier: BSD-3-Clause */
/* Busy time of each CPU on a synthetic host, and the model of shares in a calibration. */
#define _GNU_SOURCE
#include "account/cpu_times.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../sensors/made_host.h"
#include "account/share_calibration.h"
#include "tap.h"

#define SECOND UINT64_C(1000000000)

static void put_cpu(struct made_host *host, int cpu, const char *core, const char *khz)
{
    char path[120];
    (void)snprintf(path, sizeof path, "root/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
    made_host_put(host, path, core);
    (void)snprintf(path, sizeof path,
                   "root/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    made_host_put(host, path, "0\n");
    (void)snprintf(path, sizeof path, "root/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
                   cpu);
    made_host_put(host, path, khz);
}

/* CPUs 0 and 4 are threads of a core; CPU 2 is another. 4 goes offline. */
static void test_times(void)
{
    struct made_host host = {0};
    struct wattle_error err = {""};
    struct wtl_cpu_times times;
    bool may_on[3];
    made_host_put(&host, "root/sys/devices/system/cpu/online", "0,2,4\n");
    made_host_put(&host, "root/sys/devices/system/cpu/present", "0-4\n");
    put_cpu(&host, 0, "0\n", "2000000\n");
    put_cpu(&host, 2, "1\n", "2000000\n");
    put_cpu(&host, 4, "0\n", "3000000\n");
    made_host_put(&host, "root/proc/stat",
                  "cpu  0 0 0 0 0 0 0 0\ncpu0 5 0 0 100 0 0 0 0 0 0\ncpu2 5 0 0 200 10 0 0 5 0 0\n"
                  "cpu4 5 0 0 300 0 0 0 0 0 0\nintr 12\n");
    made_host_put(&host, "script.tsv",
                  "0.5\t/proc/stat\tcpu  0\\ncpu0 5 0 0 125 0 0 0 0\\ncpu2 0 0 0 280 20 0 0 10\\n"
                  "cpu4 5 0 0 500 0 0 0 0\\n\n"
                  "1.5\t/proc/stat\tcpu  0\\ncpu0 5 0 0 225 0 0 0 0\\ncpu2 0 0 0 280 20 0 0 10\\n\n"
                  "2.5\t/proc/stat\tnothing\\n\n");
    const struct wtl_world *world = made_host_open(&host);
    is_int(wtl_cpu_times_open(&times, world, true, &err), 0, "opens %s", err.text);
    is_int((long long)times.count, 3, "three CPUs");
    is_int(times.core_of[0], times.core_of[2], "two of them on one core");
    ok(times.core_of[1] != times.core_of[0], "one on its own");
    (void)world->ops->sleep_until(world, times.now_ns + SECOND);
    is_int(wtl_cpu_times_look(&times), 0, "looks");
    is_double(times.busy_s[0], 0.75, 1e-6, "idle for a quarter");
    is_double(times.busy_s[1], 0.05, 1e-6, "waiting and stolen time are not busy");
    is_double(times.busy_s[2], 0, 1e-6, "never less than 0");
    is_double(times.frequency_ghz[2], 3, 1e-9, "frequency");
    wtl_cpu_times_mark(&times);
    (void)world->ops->sleep_until(world, times.now_ns + SECOND);
    is_int(wtl_cpu_times_look(&times), 0, "looks again");
    is_double(times.busy_s[0], 0, 1e-6, "from the mark");
    is_double(times.busy_s[1], 1, 1e-6, "never idle");
    ok(wtl_cpu_times_are_some(&times, "2,4", may_on) && !may_on[0] && may_on[1] && may_on[2],
       "a list of CPUs");
    ok(!wtl_cpu_times_are_some(&times, "0-7", may_on), "all of them are not some");
    ok(!wtl_cpu_times_are_some(&times, "x", may_on), "nor is nonsense");
    (void)world->ops->sleep_until(world, times.now_ns + SECOND);
    is_int(wtl_cpu_times_look(&times), -ENODATA, "no CPU is listed any more");
    wtl_cpu_times_close(&times);
    wtl_cpu_times_close(&times);
    ok(times.world == NULL, "closed twice");
    made_host_close(&host);
}

static int read_section(const char *text,
                        const struct wtl_share_conditions *now,
                        struct wtl_share_model *model,
                        struct wattle_error *err)
{
    struct wtl_calibration *calibration;
    int rc = wtl_calibration_text("test", text, strlen(text), &calibration, err);
    rc = rc < 0
             ? rc
             : wtl_share_calibration_read(wtl_calibration_section(calibration, 0), now, model, err);
    wtl_calibration_destroy(calibration);
    return rc;
}

static void test_calibration(void)
{
    struct wtl_share_conditions now = {
        .sensor = "powercap:package-0", .cpus = 8, .governor = "performance", .turbo = -1};
    struct wtl_share_model model = {.rule = WTL_SHARE_CPU_TIME};
    struct wattle_error err = {""};
    is_int(read_section("[shares n total]\nidle_w = 21.5\nactivation_w = 9\nsmt_part = 0.25\n"
                        "frequency_exponent = 2.5\nreference_ghz = 3\ngovernor = performance\n"
                        "cpus = 8\nsensor = powercap:package-0\nturbo = yes\nsimulated = no\n",
                        &now, &model, &err),
           0, "a section %s", err.text);
    is_int(model.rule, WTL_SHARE_CALIBRATED, "is a calibrated model");
    is_double(model.node.idle_w, 21.5, 0, "idle");
    is_double(model.node.activation_w, 9, 0, "activation");
    is_double(model.node.smt_part, 0.25, 0, "second threads");
    is_double(model.node.frequency_exponent, 2.5, 0, "exponent");
    is_double(model.node.reference_ghz, 3, 0, "frequency");
    is_int(read_section("[shares n total]\nidle_w = 20\n", &now, &model, &err), 0,
           "idle power is enough");
    is_double(model.node.activation_w, 0, 0, "nothing is invented");
    is_int(read_section("[shares n total]\nsmt_part = 0.5\n", &now, &model, &err), -EBADMSG,
           "without idle power it is not");
    ok(strstr(err.text, "idle_w = (missing)") != NULL, "as the message says: %s", err.text);
    is_int(read_section("[shares n total]\nidle_w = -3\n", &now, &model, &err), -EBADMSG,
           "negative");
    is_int(read_section("[shares n total]\nidle_w = 20\nsmt_part = 2\n", &now, &model, &err),
           -EBADMSG, "out of range");
    is_int(
        read_section("[shares n total]\nidle_w = 20\ngovernor = powersave\n", &now, &model, &err),
        -ESTALE, "under another governor");
    ok(strstr(err.text, "governor powersave, and it is now performance") != NULL, "%s", err.text);
    is_int(read_section("[shares n total]\nidle_w = 20\nsensor = powercap:psys-0\n", &now, &model,
                        &err),
           -ESTALE, "of other sensors");
    now.simulated = true;
    is_int(read_section("[shares n total]\nidle_w = 20\nsimulated = no\n", &now, &model, &err),
           -ESTALE, "simulated power is something else");
}

int main(void)
{
    test_times();
    test_calibration();
    return done_testing();
}
