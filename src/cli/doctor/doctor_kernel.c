/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernel settings that determine what can be read and how well runs compare: lockdown, missing drivers, noise
 * added on purpose, clock source, frequency, power limits, watchdog.
 */
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cli/doctor/kernel_config.h"
#include "source/cpuinfo.h"

#define CPUS "/sys/devices/system/cpu"

static const char group[] = "kernel";

static bool text_at(const struct wtl_doctor *doctor, const char *path, char *text, size_t n)
{
    return wtl_world_text(doctor->world, path, text, n) > 0;
}

/* Registers are inaccessible if the kernel is locked down (secure boot). */
static void check_lockdown(struct wtl_doctor *doctor)
{
    char text[64];
    if (!text_at(doctor, "/sys/kernel/security/lockdown", text, sizeof text))
        return;
    if (strstr(text, "[none]")) {
        wtl_doctor_say(doctor, group, "lockdown", WTL_HEALTH_OK, "the kernel is not locked down");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "lockdown", doctor->measured ? WTL_HEALTH_OK : WTL_HEALTH_BETTER,
        "the kernel is locked down (secure boot): even root cannot read registers; perf and "
        "powercap work without them");
    if (!doctor->measured)
        wtl_doctor_gain(f,
                        "disabling secure boot makes registers readable, which is rarely worth it");
}

/* Whether the kernel has a driver: from its configuration, if readable. */
static void check_config(struct wtl_doctor *doctor)
{
    static const char *const options[] = {"CONFIG_INTEL_RAPL", "CONFIG_PERF_EVENTS_INTEL_RAPL",
                                          "CONFIG_X86_MSR"};
    struct wtl_cpuinfo cpu;
    char missing[128] = "", *text;
    if (doctor->measured || doctor->where.machine[0] || wtl_cpuinfo_read(doctor->world, &cpu) < 0 ||
        !cpu.vendor[0])
        return;
    if (wtl_kernel_config(doctor->world, &text) < 0) {
        wtl_doctor_say(
            doctor, group, "config", WTL_HEALTH_NONE,
            "cannot read /boot/config or /proc/config.gz, so the kernel's drivers are unknown");
        return;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *line = strstr(text, options[i]);
        size_t n = strlen(options[i]), used = strlen(missing);
        while (line && line[n] != '=') /* CONFIG_INTEL_RAPL_CORE is another */
            line = strstr(line + n, options[i]);
        if (!line || (line[n + 1] != 'y' && line[n + 1] != 'm'))
            (void)snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "",
                           options[i]);
    }
    free(text);
    if (!missing[0]) {
        wtl_doctor_say(doctor, group, "config", WTL_HEALTH_OK, "the kernel has the energy drivers");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(doctor, group, "config", WTL_HEALTH_BETTER,
                                           "the kernel was built without %s", missing);
    wtl_doctor_cure(f, "now", "enable %s, or use the distribution's kernel", missing);
    wtl_doctor_gain(f, "energy counters of the processors");
}

/* With SGX the firmware may add noise to the counters (Intel, energy reporting and INTEL-SA-00389). */
static void check_filtering(struct wtl_doctor *doctor)
{
    char *text;
    uint64_t control = 0;
    const struct wtl_world *world = doctor->world;
    if (wtl_world_slurp(world, "/proc/cpuinfo", &text) < 0)
        return;
    bool sgx = strstr(text, " sgx ") && strstr(text, "GenuineIntel");
    free(text);
    int fd = world->ops->msr_open(world, 0);
    bool known = fd >= 0 && world->ops->msr_read(world, fd, 0xbc, &control) == 0;
    if (fd >= 0)
        world->ops->close(world, fd);
    if (!known && !sgx)
        return;
    if (known && !(control & 1)) {
        wtl_doctor_say(doctor, group, "filtering", WTL_HEALTH_OK,
                       "no noise is added to energy counters");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "filtering", WTL_HEALTH_BETTER,
                       known ? "RAPL filtering is on and adds random noise to energy counters; "
                               "rely only on energy over a second or more"
                             : "SGX is on, so the firmware may add noise to energy counters (shown "
                               "by bit 0 of register 0xbc)");
    wtl_doctor_cure(f, "firmware setup", "Software Guard Extensions (SGX): disabled");
    wtl_doctor_gain(f, "accurate energy of short regions");
}

static void check_clock(struct wtl_doctor *doctor)
{
    static const char folder[] = "/sys/devices/system/clocksource/clocksource0";
    char path[96], now[32], others[128] = "";
    (void)snprintf(path, sizeof path, "%s/current_clocksource", folder);
    if (!text_at(doctor, path, now, sizeof now))
        return;
    (void)snprintf(path, sizeof path, "%s/available_clocksource", folder);
    (void)text_at(doctor, path, others, sizeof others);
    if (strcmp(now, "hpet") != 0 && strcmp(now, "acpi_pm") != 0 && strcmp(now, "jiffies") != 0 &&
        strcmp(now, "refined-jiffies") != 0 && strcmp(now, "xen") != 0) {
        wtl_doctor_say(doctor, group, "clock", WTL_HEALTH_OK, "the clock source is %s", now);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "clock", WTL_HEALTH_BETTER,
        "the clock source is %s: each reading needs a system call and may take microseconds", now);
    if (strstr(others, "tsc"))
        wtl_doctor_cure(f, "now", "echo tsc >%s/current_clocksource", folder);
    else
        wtl_doctor_cure(f, "boot parameter", "tsc=reliable");
    wtl_doctor_gain(f, "lower overhead of samples and regions, and more precise region borders");
}

static void check_frequency(struct wtl_doctor *doctor)
{
    char governor[32], text[8];
    if (!text_at(doctor, CPUS "/cpu0/cpufreq/scaling_governor", governor, sizeof governor)) {
        wtl_doctor_say(doctor, group, "governor", WTL_HEALTH_NONE,
                       "frequency is not controlled by this system");
    } else if (strcmp(governor, "performance") == 0 || strcmp(governor, "userspace") == 0) {
        wtl_doctor_say(doctor, group, "governor", WTL_HEALTH_OK, "the frequency governor is %s",
                       governor);
    } else {
        struct wtl_finding *f = wtl_doctor_say(
            doctor, group, "governor", WTL_HEALTH_BETTER,
            "the frequency governor is %s: short runs start slowly and vary", governor);
        wtl_doctor_cure(f, "now", "cpupower frequency-set -g performance");
        wtl_doctor_gain(
            f, "less variation between runs, but under settings that differ from everyday use");
    }
    bool intel = text_at(doctor, CPUS "/intel_pstate/no_turbo", text, sizeof text);
    if (!intel && !text_at(doctor, CPUS "/cpufreq/boost", text, sizeof text))
        return;
    if ((text[0] == '1') == intel) {
        wtl_doctor_say(doctor, group, "turbo", WTL_HEALTH_OK, "turbo is off");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "turbo", WTL_HEALTH_BETTER,
        "turbo is on: frequency and power depend on temperature and on the load of other cores");
    wtl_doctor_cure(f, "now",
                    intel ? "echo 1 >" CPUS "/intel_pstate/no_turbo"
                          : "echo 0 >" CPUS "/cpufreq/boost");
    wtl_doctor_gain(f, "less variation between runs, at lower speed");
}

/* A limit below the design power of the processor slows runs down. */
static void check_power_limit(struct wtl_doctor *doctor)
{
    uint64_t limit_uw, most_uw;
    static const char zone[] = "/sys/class/powercap/intel-rapl:0";
    char path[96];
    (void)snprintf(path, sizeof path, "%s/constraint_0_power_limit_uw", zone);
    if (wtl_world_u64(doctor->world, path, &limit_uw) < 0)
        return;
    (void)snprintf(path, sizeof path, "%s/constraint_0_max_power_uw", zone);
    if (wtl_world_u64(doctor->world, path, &most_uw) < 0 || most_uw == 0)
        return;
    if (limit_uw >= most_uw || limit_uw == 0) {
        wtl_doctor_say(doctor, group, "power-limit", WTL_HEALTH_OK,
                       "no package is limited below its design power");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "power-limit", WTL_HEALTH_BETTER,
                       "package 0 is limited to %.0f W of %.0f W and slows down at that power",
                       (double)limit_uw * 1e-6, (double)most_uw * 1e-6);
    wtl_doctor_cure(f, "now", "echo %llu >%s/constraint_0_power_limit_uw",
                    (unsigned long long)most_uw, zone);
    wtl_doctor_gain(f, "full speed; leave the limit if it is intended");
}

static void check_watchdog(struct wtl_doctor *doctor)
{
    char text[8];
    if (!text_at(doctor, "/proc/sys/kernel/nmi_watchdog", text, sizeof text))
        return;
    if (text[0] != '1') {
        wtl_doctor_say(doctor, group, "nmi-watchdog", WTL_HEALTH_OK, "the NMI watchdog is off");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "nmi-watchdog", WTL_HEALTH_BETTER,
                       "the NMI watchdog uses a hardware counter on each CPU and wakes it");
    wtl_doctor_cure(f, "now", "sysctl kernel.nmi_watchdog=0");
    wtl_doctor_cure(f, "for good",
                    "echo 'kernel.nmi_watchdog = 0' >/etc/sysctl.d/90-watchdog.conf");
    wtl_doctor_gain(f, "one more hardware counter for perf stat; energy events do not need it");
}

void wtl_doctor_kernel(struct wtl_doctor *doctor)
{
    check_lockdown(doctor);
    check_config(doctor);
    check_filtering(doctor);
    check_clock(doctor);
    check_frequency(doctor);
    check_power_limit(doctor);
    check_watchdog(doctor);
}
