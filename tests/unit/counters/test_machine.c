/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance of a recorded host; secrets are not included. */
#define _GNU_SOURCE
#include "counters/machine.h"

#include "../sensors/made_host.h"
#include "base/world/world_recorded.h"
#include "tap.h"

struct pairs {
    char text[16384];
    size_t used;
};

static void collect(void *context, const char *key, const char *value)
{
    struct pairs *pairs = context;
    pairs->used += (size_t)snprintf(pairs->text + pairs->used, sizeof pairs->text - pairs->used,
                                    "\n%s=%s\n", key, value);
}

static void test_host(void)
{
    static const char *const wanted[] = {
        "\ncpu.model=Intel(R) Xeon(R) CPU E5-2609 0 @ 2.40GHz\n",
        "\ncpu.microcode=0x71a\n",
        "\ncpu.stepping=7\n",
        "\ncpu.sockets=2\n",
        "\ncpu.cores=8\n",
        "\ncpu.threads=8\n",
        "\ncpu.governor=powersave\n",
        "\ncpu.turbo=off\n",
        "\ncpu.smt=notsupported\n",
        "\nkernel.clocksource=tsc\n",
        "nfs_password=(hidden)",
        "\nhost.product=Two-socket server\n",
        "\nmemory.bytes=67423846400\n",
        "\nnuma.nodes=2\n",
        "\nnuma.cpus.1=4-7\n",
        "\nprocess.affinity=0-7\n",
        "\nprocess.cgroup=0::/user.slice\n",
        "\nsystem.load=2.00 1.00 0.50 3/200 4711\n",
        "\nlimit.intel-rapl:0.long_term_w=80\n",
        "\ntemperature.coretemp.Package id 0_c=45\n",
    };
    static const char *const unwanted[] = {"hunter2", "me:you", "SERIAL", "virtual."};
    struct wtl_world *world = NULL;
    struct wattle_error err = {0};
    static struct pairs pairs;
    is_int(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/xeon-2s-loaded", &world, &err), 0,
           "host %s", err.text);
    if (!world)
        return;
    wtl_machine_describe(world, collect, &pairs);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        ok(strstr(pairs.text, wanted[i]) != NULL, "%.*s", (int)strcspn(wanted[i] + 1, "\n"),
           wanted[i] + 1);
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        ok(strstr(pairs.text, unwanted[i]) == NULL, "nothing of '%s'", unwanted[i]);
    is_int(wtl_world_recorded_open_fds(world), 0, "nothing left open");
    wtl_world_close(world);
}

static void test_guest(void)
{
    struct wtl_world *world = NULL;
    static struct pairs pairs;
    is_int(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/guest-2cpu", &world, NULL), 0,
           "host");
    if (!world)
        return;
    wtl_machine_describe(world, collect, &pairs);
    ok(strstr(pairs.text, "\nvirtual.machine=kvm\n") != NULL, "the hypervisor by CPUID");
    ok(strstr(pairs.text, "cpu.governor") == NULL, "what is not there has no key");
    wtl_world_close(world);
}

/* Lists of a large machine, and values that no locale may change. */
static void test_large(void)
{
    struct made_host made = {0};
    static struct pairs pairs;
    static char list[3000], status[3100], wanted[3100];
    size_t used = 0;
    for (int cpu = 0; cpu < 1000 && used + 8 < sizeof list; cpu += 2)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", cpu ? "," : "", cpu);
    (void)snprintf(status, sizeof status, "Cpus_allowed_list:\t%s\n", list);
    made_host_put(&made, "root/sys/devices/system/node/node0/cpulist", list);
    made_host_put(&made, "root/sys/devices/system/node/node1/cpulist", "\n");
    made_host_put(&made, "root/proc/self/status", status);
    made_host_put(&made, "root/sys/class/powercap/intel-rapl:0/constraint_0_name", "long_term\n");
    made_host_put(&made, "root/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw",
                  "125500000\n");
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/name", "coretemp\n");
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/temp1_input", "45050\n");
    made_host_put(&made, "root/sys/class/hwmon/hwmon0/temp2_input", "-5000\n");
    wtl_machine_describe(made_host_open(&made), collect, &pairs);
    (void)snprintf(wanted, sizeof wanted, "\nnuma.cpus.0=%s\n", list);
    ok(strstr(pairs.text, wanted) != NULL, "the CPUs of a node, all of them");
    ok(strstr(pairs.text, "numa.cpus.1") == NULL, "a node without CPUs has none");
    ok(strstr(pairs.text, "\nnuma.nodes=2\n") != NULL, "and is a node");
    (void)snprintf(wanted, sizeof wanted, "\nprocess.affinity=%s\n", list);
    ok(strstr(pairs.text, wanted) != NULL, "the CPUs of the process, all of them");
    ok(strstr(pairs.text, "\nlimit.intel-rapl:0.long_term_w=125.5\n") != NULL, "half a watt");
    ok(strstr(pairs.text, "\ntemperature.coretemp.temp1_c=45.05\n") != NULL, "a temperature");
    ok(strstr(pairs.text, "\ntemperature.coretemp.temp2_c=-5\n") != NULL, "one below zero");
    made_host_close(&made);
}

int main(void)
{
    test_host();
    test_guest();
    test_large();
    return done_testing();
}
