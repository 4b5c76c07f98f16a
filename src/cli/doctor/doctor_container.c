/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Containers: what the engine took away, and what to pass to get it back. Engines mask paths by
 * mounting something over them (an empty tmpfs, /dev/null), which /proc/self/mountinfo shows
 * (proc_pid_mountinfo(5)); Docker, Podman and containerd mask /sys/devices/virtual/powercap since
 * CVE-2020-8694. perf_event_open(2) is closed by their seccomp profiles unless CAP_PERFMON or
 * CAP_SYS_ADMIN is there. What is root inside of a user namespace is not root to sysfs.
 */
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include "base/parse.h"

#ifndef CAP_PERFMON
#    define CAP_PERFMON 38 /* Linux 5.8 */
#endif

static const char group[] = "container";

/* Paths that sensors need. What is below counts, too. */
static const struct {
    const char *path, *check, *what;
} needed[] = {
    {"/sys/devices/virtual/powercap", "masked-powercap", "the energy counters of the processors"},
    {"/sys/class/powercap", "masked-powercap", "the energy counters of the processors"},
    {"/sys/class/hwmon", "masked-hwmon", "the sensors of boards and cards"},
    {"/sys/bus/event_source", "masked-perf", "the kernel's energy events"},
    {"/sys/devices/power", "masked-perf", "the kernel's energy events"},
    {"/sys/devices/system/cpu", "masked-cpu", "topology and frequency of the processors"},
    {"/sys/cray", "masked-cray", "the meters of a Cray node"},
    {"/sys", "masked-sys", "all sensors"},
};

/* The type of the file system on this line: the word behind " - ". */
static void type_of(const char *line, char *out, size_t size)
{
    size_t n = strcspn(line, "\n");
    const char *dash = strstr(line, " - ");
    out[0] = '\0';
    if (dash && dash < line + n)
        wtl_doctor_field(dash + 3, 0, out, size);
}

/* Does something lie over it that is not what belongs there? */
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
    wtl_doctor_gain(f, "what the machine outside can measure, as far as its files may be read");
}

static void check_masks(struct wtl_doctor *doctor)
{
    char *text;
    bool masked = false;
    if (wtl_world_slurp(doctor->world, "/proc/self/mountinfo", &text) < 0) {
        wtl_doctor_say(doctor, group, "mounts", WTL_HEALTH_NONE,
                       "/proc/self/mountinfo cannot be read: masked paths are not looked for");
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
                                     "%s is masked: %s lies over %s", needed[i].path, type,
                                     needed[i].what),
                      needed[i].path);
        }
    }
    free(text);
    if (!masked)
        wtl_doctor_say(doctor, group, "mounts", WTL_HEALTH_OK, "no path of a sensor is masked");
}

static void check_sysfs(struct wtl_doctor *doctor)
{
    if (doctor->world->ops->exists(doctor->world, "/sys/devices"))
        return;
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "sysfs", wtl_doctor_severity(doctor),
                       "/sys is not mounted: no sensor of the kernel can be seen");
    wtl_doctor_cure(f, "now", "mount -t sysfs -o ro sysfs /sys");
    wtl_doctor_cure(f, "apptainer", "apptainer exec --bind /sys ...");
    wtl_doctor_gain(f, "the sensors of the kernel");
}

/* A filter of system calls, and no capability that opens perf_event_open(2) in it. */
static void check_seccomp(struct wtl_doctor *doctor)
{
    char mode[8];
    if (!wtl_doctor_status(doctor->world, "Seccomp:", mode, sizeof mode))
        return;
    if (strcmp(mode, "2") != 0 || wtl_doctor_can(doctor->world, CAP_PERFMON) ||
        wtl_doctor_can(doctor->world, CAP_SYS_ADMIN)) {
        wtl_doctor_say(doctor, group, "seccomp", WTL_HEALTH_OK,
                       "no filter of system calls is in the way of perf");
        return;
    }
    bool perf = false;
    for (size_t i = 0; i < doctor->selection->offer_count; i++) {
        const struct wtl_offer *offer = &doctor->selection->offers[i];
        perf |= offer->status == 0 && strcmp(offer->driver->name, "perf") == 0;
    }
    if (perf) {
        wtl_doctor_say(doctor, group, "seccomp", WTL_HEALTH_OK,
                       "system calls are filtered, and energy events open all the same");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "seccomp", WTL_HEALTH_BETTER,
        "system calls are filtered and CAP_PERFMON is missing: perf_event_open is closed whatever "
        "kernel.perf_event_paranoid says");
    wtl_doctor_cure(f, "docker", "docker run --cap-add PERFMON ...");
    wtl_doctor_cure(f, "podman", "podman run --cap-add PERFMON ...");
    wtl_doctor_cure(f, "kubernetes", "securityContext: {capabilities: {add: [PERFMON]}}");
    wtl_doctor_gain(f, "the kernel's energy events, where the machine has them");
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
        wtl_doctor_say(doctor, group, "user-namespace", WTL_HEALTH_OK,
                       "users are those of the machine");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "user-namespace", doctor->measured ? WTL_HEALTH_OK : WTL_HEALTH_BETTER,
        "this is a user namespace: its root is an ordinary user to the machine's sensors");
    if (doctor->measured)
        return;
    wtl_doctor_cure(f, "outside, now", "chmod a+r /sys/class/powercap/*/energy_uj");
    wtl_doctor_cure(f, "podman", "sudo podman run --userns=host ...");
    wtl_doctor_gain(f, "counters that only root may read");
}

static void check_registers(struct wtl_doctor *doctor)
{
    if (!doctor->where.container[0] || doctor->where.machine[0] || doctor->measured ||
        doctor->world->ops->exists(doctor->world, "/dev/cpu/0/msr"))
        return;
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "devices", WTL_HEALTH_BETTER,
                       "/dev/cpu/*/msr is not passed in: the processors' registers cannot be read");
    wtl_doctor_cure(f, "docker",
                    "docker run --device /dev/cpu/0/msr:/dev/cpu/0/msr:r --cap-add SYS_RAWIO ...");
    wtl_doctor_cure(f, "podman",
                    "podman run --device /dev/cpu/0/msr:/dev/cpu/0/msr:r --cap-add SYS_RAWIO ...");
    wtl_doctor_gain(f, "the processors' own counters (one device for each package)");
}

void wtl_doctor_container(struct wtl_doctor *doctor)
{
    const struct wtl_virtual *where = &doctor->where;
    if (where->container[0])
        wtl_doctor_say(doctor, group, "container", WTL_HEALTH_OK, "this is a %s container",
                       where->container);
    else
        wtl_doctor_say(doctor, group, "container", WTL_HEALTH_NONE, "no sign of a container");
    check_sysfs(doctor);
    check_masks(doctor);
    check_seccomp(doctor);
    check_user(doctor);
    check_registers(doctor);
    if (where->cpu_limit > 0)
        wtl_doctor_say(doctor, group, "cpu-limit", WTL_HEALTH_BETTER,
                       "the control group may use %.2f CPUs: runs are slowed down and the share of "
                       "the machine's energy is smaller",
                       where->cpu_limit);
}
