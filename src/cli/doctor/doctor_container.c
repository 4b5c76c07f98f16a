/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Containers: what the engine removed, and which option restores it. Engines mask paths by mounting something
 * over them (an empty tmpfs, /dev/null), which /proc/self/mountinfo shows (proc_pid_mountinfo(5)); Docker,
 * Podman and containerd mask /sys/devices/virtual/powercap since CVE-2020-8694. Their seccomp profiles block
 * perf_event_open(2) without CAP_PERFMON or CAP_SYS_ADMIN. Root in a user namespace is not root for sysfs.
 */
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include "base/parse.h"
#include "model/quality.h"

#ifndef CAP_PERFMON
#    define CAP_PERFMON 38 /* Linux 5.8 */
#endif

static const char group[] = "container";

/* Paths that sensors need, including everything below. */
static const struct {
    const char *path, *check, *what;
} needed[] = {
    {"/sys/devices/virtual/powercap", "masked-powercap", "energy counters of the processors"},
    {"/sys/class/powercap", "masked-powercap", "energy counters of the processors"},
    {"/sys/class/hwmon", "masked-hwmon", "sensors of boards and cards"},
    {"/sys/bus/event_source", "masked-perf", "energy events of the kernel"},
    {"/sys/devices/power", "masked-perf", "energy events of the kernel"},
    {"/sys/devices/system/cpu", "masked-cpu", "topology and frequency of the processors"},
    {"/sys/cray", "masked-cray", "meters of a Cray node"},
    {"/sys", "masked-sys", "all sensors"},
};

/* The file system type on this line: the word after " - ". */
static void type_of(const char *line, char *out, size_t size)
{
    size_t n = strcspn(line, "\n");
    const char *dash = strstr(line, " - ");
    out[0] = '\0';
    if (dash && dash < line + n)
        wtl_doctor_field(dash + 3, 0, out, size);
}

/* Is something else mounted over it? */
static bool is_mask(const char *mount, const char *type, const char *path)
{
    return strcmp(mount, path) == 0 && strcmp(type, "sysfs") != 0 && type[0] != '\0';
}

static void cure_mask(struct wtl_finding *f, const char *path)
{
    wtl_doctor_cure(f, "docker", "docker run --security-opt systempaths=unconfined ...");
    wtl_doctor_cure(f, "podman", "podman run --security-opt unmask=%s ...", path);
    wtl_doctor_cure(f, "kubernetes", "securityContext: {procMount: Unmasked}");
    wtl_doctor_cure(f, "apptainer", "apptainer exec --bind %s ...", path);
    wtl_doctor_gain(f, "measures what the host can, as far as its files are readable");
}

static void check_masks(struct wtl_doctor *doctor)
{
    char *text;
    bool masked = false;
    if (wtl_channels_are_simulated(doctor->selection->channels, doctor->selection->count)) {
        wtl_doctor_say(doctor, group, "mounts", WTL_HEALTH_NONE,
                       "not checked, since the simulated node mounts its own sensors");
        return;
    }
    if (wtl_world_slurp(doctor->world, "/proc/self/mountinfo", &text) < 0) {
        wtl_doctor_say(doctor, group, "mounts", WTL_HEALTH_NONE,
                       "cannot read /proc/self/mountinfo, so masked paths were not checked");
        return;
    }
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        char mount[256], type[64];
        line += *line == '\n';
        wtl_doctor_field(line, 4, mount, sizeof mount);
        type_of(line, type, sizeof type);
        for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
            if (!is_mask(mount, type, needed[i].path))
                continue;
            masked = true;
            cure_mask(wtl_doctor_say(doctor, group, needed[i].check, wtl_doctor_severity(doctor),
                                     "%s is masked: %s is mounted over %s", needed[i].path, type,
                                     needed[i].what),
                      needed[i].path);
        }
    }
    free(text);
    if (!masked)
        wtl_doctor_say(doctor, group, "mounts", WTL_HEALTH_OK, "no sensor path is masked");
}

static void check_sysfs(struct wtl_doctor *doctor)
{
    if (doctor->world->ops->exists(doctor->world, "/sys/devices"))
        return;
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "sysfs", wtl_doctor_severity(doctor),
                       "/sys is not mounted, so kernel sensors are not visible");
    wtl_doctor_cure(f, "now", "mount -t sysfs -o ro sysfs /sys");
    wtl_doctor_cure(f, "apptainer", "apptainer exec --bind /sys ...");
    wtl_doctor_gain(f, "kernel sensors");
}

/* A seccomp filter, without a capability that allows perf_event_open(2). */
static void check_seccomp(struct wtl_doctor *doctor)
{
    char mode[8];
    if (!wtl_doctor_status(doctor->world, "Seccomp:", mode, sizeof mode))
        return;
    if (strcmp(mode, "2") != 0 || wtl_doctor_can(doctor->world, CAP_PERFMON) ||
        wtl_doctor_can(doctor->world, CAP_SYS_ADMIN)) {
        wtl_doctor_say(doctor, group, "seccomp", WTL_HEALTH_OK, "no seccomp filter blocks perf");
        return;
    }
    bool perf = false;
    for (size_t i = 0; i < doctor->selection->offer_count; i++) {
        const struct wtl_offer *offer = &doctor->selection->offers[i];
        perf |= offer->status == 0 && strcmp(offer->driver->name, "perf") == 0;
    }
    if (perf) {
        wtl_doctor_say(doctor, group, "seccomp", WTL_HEALTH_OK,
                       "a seccomp filter is active but allows energy events");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "seccomp", WTL_HEALTH_BETTER,
                       "a seccomp filter is active and CAP_PERFMON is missing: perf_event_open is "
                       "blocked regardless of kernel.perf_event_paranoid");
    wtl_doctor_cure(f, "docker", "docker run --cap-add PERFMON ...");
    wtl_doctor_cure(f, "podman", "podman run --cap-add PERFMON ...");
    wtl_doctor_cure(f, "kubernetes", "securityContext: {capabilities: {add: [PERFMON]}}");
    wtl_doctor_gain(f, "energy events of the kernel, if the machine has them");
}

/* "inside outside count" for each range: the whole of it, as it is, is the first namespace. */
static void check_user(struct wtl_doctor *doctor)
{
    char map[256];
    if (wtl_world_text(doctor->world, "/proc/self/uid_map", map, sizeof map) <= 0)
        return;
    uint64_t range[3] = {0}; /* inside, outside, how many */
    const char *p = map;
    for (int i = 0, used = 0; i < 3 && used >= 0; i++) {
        p += strspn(p, " ");
        used = wtl_scan_u64(p, strlen(p), &range[i]);
        p += used > 0 ? used : 0;
    }
    bool first = range[0] == 0 && range[1] == 0 && range[2] >= UINT32_MAX;
    if (first) {
        wtl_doctor_say(doctor, group, "user-namespace", WTL_HEALTH_OK, "no user namespace");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(doctor, group, "user-namespace",
                                           doctor->measured ? WTL_HEALTH_OK : WTL_HEALTH_BETTER,
                                           "user namespace: its root is an ordinary user on the "
                                           "host and cannot read protected sensors");
    if (doctor->measured)
        return;
    wtl_doctor_cure(f, "on the host", "chmod a+r /sys/class/powercap/*/energy_uj");
    wtl_doctor_cure(f, "podman", "sudo podman run --userns=host ...");
    wtl_doctor_gain(f, "counters that only root can read");
}

static void check_registers(struct wtl_doctor *doctor)
{
    if (!doctor->where.container[0] || doctor->where.machine[0] || doctor->measured ||
        doctor->world->ops->exists(doctor->world, "/dev/cpu/0/msr"))
        return;
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "devices", WTL_HEALTH_BETTER,
        "/dev/cpu/*/msr is not passed to the container, so processor registers cannot be read");
    wtl_doctor_cure(f, "docker",
                    "docker run --device /dev/cpu/0/msr:/dev/cpu/0/msr:r --cap-add SYS_RAWIO ...");
    wtl_doctor_cure(f, "podman",
                    "podman run --device /dev/cpu/0/msr:/dev/cpu/0/msr:r --cap-add SYS_RAWIO ...");
    wtl_doctor_gain(f, "energy registers of the processors (one device per package)");
}

void wtl_doctor_container(struct wtl_doctor *doctor)
{
    const struct wtl_virtual *where = &doctor->where;
    if (where->container[0])
        wtl_doctor_say(doctor, group, "container", WTL_HEALTH_OK, "running in a %s container",
                       where->container);
    else
        wtl_doctor_say(doctor, group, "container", WTL_HEALTH_NONE, "no container detected");
    check_sysfs(doctor);
    check_masks(doctor);
    check_seccomp(doctor);
    check_user(doctor);
    check_registers(doctor);
    if (where->cpu_limit > 0)
        wtl_doctor_say(doctor, group, "cpu-limit", WTL_HEALTH_BETTER,
                       "the control group is limited to %.2f CPUs: runs are slower and use a "
                       "smaller share of the machine's energy",
                       where->cpu_limit);
}
