/* SPDX-License-Identifier: BSD-3-Clause */
/* All checks, and those of sensors, machine, limits and tasks: see doctor.h. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/code/debug_lines.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/run/task_tools.h"
#include "cli/run/tools.h"
#include "cli/sensors/sensor_list.h"
#include "model/reading.h"
#include "source/cpuinfo.h"

/* ---- sensors: the offers of the drivers as findings, with a severity ---- */

static const char sensors_group[] = "sensors";

/* The message without the driver name and the remedy, which are printed separately. */
static void trim(const struct wtl_offer *offer, bool has_cure, char *what, size_t n)
{
    static const char *const tails[] = {"; as root run:", "; run as root", "; on one, try:"};
    const char *why = offer->why.text, *name = offer->driver->name;
    if (strncmp(why, name, strlen(name)) == 0 && why[strlen(name)] == ':')
        why += strlen(name) + 1 + strspn(why + strlen(name) + 1, " ");
    (void)snprintf(what, n, "%s", why);
    for (size_t i = 0; has_cure && i < sizeof tails / sizeof *tails; i++) {
        char *tail = strstr(what, tails[i]);
        if (tail)
            *tail = '\0';
    }
}

static void add_cures(struct wtl_finding *finding, const struct wtl_remedy *remedy)
{
    wtl_doctor_cure(finding, "now", "%s", remedy->now);
    if (remedy->lasting[0])
        wtl_doctor_cure(finding, "for good", "%s", remedy->lasting);
}

static void say_available(struct wtl_doctor *doctor, const struct wtl_offer *offer)
{
    const struct wtl_remedy *remedy = &offer->source.remedy;
    struct wtl_finding *f;
    char what[sizeof offer->why.text];
    trim(offer, remedy->now[0] != '\0', what, sizeof what);
    size_t n = offer->source.count;
    if (remedy->now[0]) {
        f = wtl_doctor_say(doctor, sensors_group, offer->driver->name, WTL_HEALTH_BETTER,
                           "%zu channel%s, others missing: %s", n, n == 1 ? "" : "s", what);
        wtl_doctor_gain(f, "energy of more parts of the machine");
        add_cures(f, remedy);
        return;
    }
    wtl_doctor_say(doctor, sensors_group, offer->driver->name, WTL_HEALTH_OK, "%zu channel%s%s%s",
                   n, n == 1 ? "" : "s", what[0] ? "; " : "", what);
}

/* Suggest loading a module only on a physical machine and only if nothing else measures. */
static bool may_be_loaded(const struct wtl_doctor *doctor)
{
    return !doctor->where.machine[0] && !doctor->where.container[0] && !doctor->measured;
}

static void say_missing(struct wtl_doctor *doctor, const struct wtl_offer *offer)
{
    const struct wtl_remedy *remedy = &offer->source.remedy;
    bool forbidden = offer->status == -EACCES || offer->status == -EPERM;
    bool absent = offer->status == -ENODEV || offer->status == -ENOENT;
    bool cures = remedy->now[0] && (forbidden || (absent && may_be_loaded(doctor)));
    enum wtl_health health = wtl_doctor_severity(doctor);
    char what[sizeof offer->why.text];
    if (absent)
        health = cures ? WTL_HEALTH_BETTER : WTL_HEALTH_NONE;
    trim(offer, cures, what, sizeof what);
    struct wtl_finding *f =
        wtl_doctor_say(doctor, sensors_group, offer->driver->name, health, "%s%s%s",
                       wtl_offer_state(offer), what[0] ? ": " : "", what);
    if (!cures)
        return;
    add_cures(f, remedy);
    if (forbidden && strcmp(offer->driver->name, "perf") == 0)
        wtl_doctor_cure(f, "wattle only", "setcap cap_perfmon+ep \"$(command -v wattle)\"");
    wtl_doctor_gain(f, doctor->measured ? "a second source; not needed for what is measured now"
                                        : "measured energy instead of an estimate or nothing");
}

/* wattled is another way to measured energy where users may not read the sensors: what the administrator would
 * do, and what a user can send to the administrator. */
static void say_relay(struct wtl_doctor *doctor, const struct wtl_offer *offer, bool forbidden)
{
    enum wtl_health health = forbidden ? wtl_doctor_severity(doctor) : WTL_HEALTH_NONE;
    unsigned uid = (unsigned)doctor->world->ops->geteuid(doctor->world);
    bool refused = offer->status == -EACCES;
    char what[sizeof offer->why.text];
    trim(offer, false, what, sizeof what);
    if (offer->status == -ECANCELED) {
        wtl_doctor_say(doctor, sensors_group, offer->driver->name, WTL_HEALTH_NONE, "%s", what);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(doctor, sensors_group, offer->driver->name, health,
                                           "%s: %s", wtl_offer_state(offer), what);
    if (!forbidden)
        return;
    if (refused)
        wtl_doctor_cure(f, "now", "wattle allow %u", uid);
    else
        wtl_doctor_cure(f, "for good", "systemctl enable --now wattled");
    wtl_doctor_gain(f, "measured energy for the users that the site allows, without a right to "
                       "read the sensors");
    wtl_doctor_say(
        doctor, sensors_group, "ask", WTL_HEALTH_BETTER,
        "to send to the administrator: \"Users of %.64s may not read its energy counters. "
        "Please %s, so that my programs can measure their energy (user %u). The guide of "
        "wattled says what readings reveal; 'wattle doctor' shows two other ways, a "
        "capability and a udev rule.\"",
        doctor->host, refused ? "allow me to read from wattled" : "start wattled", uid);
}

/* May a sensor that exists here not be read? */
static bool is_forbidden(const struct wtl_selection *selection)
{
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        if (!(offer->driver->flags & (WTL_DRIVER_ACTIVITY | WTL_DRIVER_RELAY)) &&
            (offer->status == -EACCES || offer->status == -EPERM || offer->source.forbidden))
            return true;
    }
    return false;
}

/* The estimate is used if nothing measures; it is not a measurement. */
static void say_estimate(struct wtl_doctor *doctor, const struct wtl_offer *offer)
{
    char what[sizeof offer->why.text];
    trim(offer, false, what, sizeof what);
    if (doctor->measured)
        wtl_doctor_say(doctor, sensors_group, "estimate", WTL_HEALTH_NONE,
                       "not needed: a sensor is available");
    else if (offer->status == 0)
        wtl_doctor_say(doctor, sensors_group, "estimate", WTL_HEALTH_BETTER,
                       "no sensor available: power is estimated from the load%s%s",
                       what[0] ? "; " : "", what);
    else
        wtl_doctor_say(doctor, sensors_group, "estimate", WTL_HEALTH_BLOCKED,
                       "not even an estimate is possible: %s", what);
}

static void doctor_sensors(struct wtl_doctor *doctor)
{
    for (size_t i = 0; i < doctor->selection->offer_count; i++) {
        const struct wtl_offer *offer = &doctor->selection->offers[i];
        unsigned flags = offer->driver->flags;
        if (flags & (WTL_DRIVER_ACTIVITY | WTL_DRIVER_MANUAL))
            continue;
        if (flags & WTL_DRIVER_FALLBACK)
            say_estimate(doctor, offer);
        else if (offer->status == 0)
            say_available(doctor, offer);
        else if (flags & WTL_DRIVER_RELAY)
            say_relay(doctor, offer, is_forbidden(doctor->selection));
        else
            say_missing(doctor, offer);
    }
}

/* ---- the machine: a guest, graphics, a management controller ---- */

static const char machine_group[] = "machine";

static void check_guest(struct wtl_doctor *doctor)
{
    const char *machine = doctor->where.machine;
    if (!machine[0]) {
        wtl_doctor_say(doctor, machine_group, "guest", WTL_HEALTH_OK,
                       "no virtual machine detected");
        return;
    }
    if (doctor->measured) {
        wtl_doctor_say(doctor, machine_group, "guest", WTL_HEALTH_BETTER,
                       "virtual machine (%s) with energy counters: counters passed through may "
                       "cover the whole host; ask its administrator",
                       machine);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, machine_group, "guest", WTL_HEALTH_BLOCKED,
        "virtual machine (%s) whose hypervisor provides no energy counters: only an estimate is "
        "possible; ask for a bare-metal machine or for readings from the host",
        machine);
    wtl_doctor_cure(f, "on the host", "wattle run --pid PID-OF-THE-HYPERVISOR");
    wtl_doctor_gain(f, "measured energy instead of an estimate");
}

/* Is there a channel of a graphics card? */
static bool sees_gpu(const struct wtl_doctor *doctor)
{
    for (size_t i = 0; i < doctor->selection->count; i++) {
        if (doctor->selection->channels[i].domain == WATTLE_DOMAIN_GPU &&
            wtl_channel_is_energy(&doctor->selection->channels[i]))
            return true;
    }
    return false;
}

/* Number of display controllers (PCI class 03; 0380 and 0302 among them) and processing accelerators
 * (class 12) of a vendor. */
static int count_cards(const struct wtl_world *world, const char *vendor)
{
    char **names;
    int cards = 0, n = world->ops->list(world, "/sys/bus/pci/devices", &names);
    for (int i = 0; i < n; i++) {
        char path[128], text[16];
        (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%.40s/vendor", names[i]);
        if (wtl_world_text(world, path, text, sizeof text) < 0 || strcmp(text, vendor) != 0)
            continue;
        (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%.40s/class", names[i]);
        if (wtl_world_text(world, path, text, sizeof text) < 0)
            continue;
        cards += strncmp(text, "0x03", 4) == 0 || strncmp(text, "0x12", 4) == 0;
    }
    if (n >= 0)
        free(names);
    return cards;
}

static void check_gpu(struct wtl_doctor *doctor)
{
    int nvidia = count_cards(doctor->world, "0x10de"), amd = count_cards(doctor->world, "0x1002");
    if (sees_gpu(doctor)) {
        wtl_doctor_say(doctor, machine_group, "gpu", WTL_HEALTH_OK, "GPUs are measured");
        return;
    }
    if (nvidia + amd == 0) {
        wtl_doctor_say(doctor, machine_group, "gpu", WTL_HEALTH_NONE,
                       "no NVIDIA or AMD card found");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, machine_group, "gpu", WTL_HEALTH_BETTER,
        "%d card%s of %s without a sensor for %s power: this energy is missing from every total",
        nvidia + amd, nvidia + amd == 1 ? "" : "s",
        nvidia ? (amd ? "NVIDIA and AMD" : "NVIDIA") : "AMD", nvidia + amd == 1 ? "its" : "their");
    if (amd)
        wtl_doctor_cure(f, "now", "modprobe amdgpu");
    if (nvidia)
        wtl_doctor_cure(f, "alongside", "nvidia-smi --query-gpu=power.draw --format=csv -l 1");
    wtl_doctor_gain(f,
                    amd ? "power of the cards (hwmon)"
                        : "shows the power; this version of wattle has no driver for these cards");
}

/* A management controller that could report the power of the node. */
static void check_bmc(struct wtl_doctor *doctor)
{
    const struct wtl_world *world = doctor->world;
    bool device = world->ops->exists(world, "/dev/ipmi0");
    bool firmware = world->ops->exists(world, "/sys/class/ipmi/ipmi0") ||
                    world->ops->exists(world, "/sys/firmware/dmi/entries/38-0");
    bool node = false;
    for (size_t i = 0; i < doctor->selection->count; i++)
        node |= doctor->selection->channels[i].domain == WATTLE_DOMAIN_NODE &&
                wtl_channel_is_energy(&doctor->selection->channels[i]) &&
                doctor->selection->channels[i].quality != WATTLE_ESTIMATED;
    if (!device && !firmware) {
        wtl_doctor_say(doctor, machine_group, "bmc", WTL_HEALTH_NONE,
                       "no management controller found");
        return;
    }
    if (node) {
        wtl_doctor_say(doctor, machine_group, "bmc", WTL_HEALTH_OK,
                       "management controller found; the whole node is already measured");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, machine_group, "bmc", WTL_HEALTH_BETTER,
                       "management controller found, but this version of wattle does not read it; "
                       "the kernel may, with acpi_power_meter");
    if (!device)
        wtl_doctor_cure(f, "now", "modprobe -a ipmi_si ipmi_devintf");
    wtl_doctor_cure(f, "now", "modprobe acpi_power_meter");
    wtl_doctor_cure(f, "alongside", "ipmitool dcmi power reading");
    wtl_doctor_gain(f, "power of the whole node, as an hwmon sensor if the board has one");
}

static void doctor_machine(struct wtl_doctor *doctor)
{
    check_guest(doctor);
    check_gpu(doctor);
    check_bmc(doctor);
}

/* ---- limits: what wattle itself needs ---- */

static const char limits_group[] = "limits";

/* The soft limit in the row of /proc/self/limits that begins with `name`; UINT64_MAX = unlimited. */
static bool limit_of(const struct wtl_world *world, const char *name, uint64_t *ret_limit)
{
    char *text;
    bool found = false;
    if (wtl_world_slurp(world, "/proc/self/limits", &text) < 0)
        return false;
    const char *row = strstr(text, name);
    if (row) {
        row += strlen(name) + strspn(row + strlen(name), " ");
        found = strncmp(row, "unlimited", 9) == 0;
        *ret_limit = UINT64_MAX;
        if (!found)
            found = wtl_scan_u64(row, strlen(row), ret_limit) > 0;
    }
    free(text);
    return found;
}

/* Files of each CPU stay open while it is measured: frequency, throttling, temperature. */
static void check_files(struct wtl_doctor *doctor)
{
    uint64_t limit;
    long cpus = doctor->world->ops->sysconf(doctor->world, _SC_NPROCESSORS_ONLN);
    uint64_t need = 64 + 4 * (uint64_t)(cpus > 0 ? cpus : 1);
    if (!limit_of(doctor->world, "Max open files", &limit))
        return;
    if (limit >= need) {
        wtl_doctor_say(doctor, limits_group, "files", WTL_HEALTH_OK,
                       "the limit on open files is sufficient");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, limits_group, "files", WTL_HEALTH_BLOCKED,
                       "the limit on open files is %llu; %ld CPUs need about %llu",
                       (unsigned long long)limit, cpus, (unsigned long long)need);
    wtl_doctor_cure(f, "now", "ulimit -n %llu", 2 * (unsigned long long)need);
    wtl_doctor_gain(f, "all channels of all CPUs");
}

/* wattle locks no memory and uses no realtime priority, so those limits do not matter; a file size limit
 * does, since it would cut off a trace. */
static void check_file_size(struct wtl_doctor *doctor)
{
    uint64_t limit;
    if (!limit_of(doctor->world, "Max file size", &limit))
        return;
    if (limit >= UINT64_C(1) << 30) {
        wtl_doctor_say(doctor, limits_group, "file-size", WTL_HEALTH_OK,
                       "file size is not limited");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, limits_group, "file-size", WTL_HEALTH_BETTER,
                       "files are limited to %llu bytes: a long trace would be cut off",
                       (unsigned long long)limit);
    wtl_doctor_cure(f, "now", "ulimit -f unlimited");
    wtl_doctor_gain(f, "long traces");
}

static uint64_t kib_of(const char *text, const char *name)
{
    uint64_t kib = 0;
    const char *row = strstr(text, name);
    if (!row)
        return 0;
    row += strlen(name) + strspn(row + strlen(name), " ");
    return wtl_scan_u64(row, strlen(row), &kib) > 0 ? kib : 0;
}

static void check_memory(struct wtl_doctor *doctor)
{
    char *text;
    if (wtl_world_slurp(doctor->world, "/proc/meminfo", &text) < 0)
        return;
    uint64_t available = kib_of(text, "MemAvailable:"), swap = kib_of(text, "SwapTotal:");
    uint64_t swapped = swap - kib_of(text, "SwapFree:");
    free(text);
    if (available > 0 && available < 64 * 1024)
        wtl_doctor_say(doctor, limits_group, "memory", WTL_HEALTH_BLOCKED,
                       "only %llu MiB of memory available", (unsigned long long)available / 1024);
    else if (swap > 0 && swapped <= swap && swapped > swap / 4)
        wtl_doctor_say(doctor, limits_group, "memory", WTL_HEALTH_BETTER,
                       "%llu MiB are swapped out: runs wait for the disk and vary",
                       (unsigned long long)swapped / 1024);
    else
        wtl_doctor_say(doctor, limits_group, "memory", WTL_HEALTH_OK, "enough memory is available");
}

/* The folder where "wattle run" would write its trace; not checked for a recorded host. */
static void check_place(struct wtl_doctor *doctor)
{
    struct statvfs disk;
    if (doctor->world->virtual_time) {
        wtl_doctor_say(doctor, limits_group, "folder", WTL_HEALTH_NONE,
                       "a recorded host has no disk");
        return;
    }
    if (access(".", W_OK) < 0) {
        struct wtl_finding *f = wtl_doctor_say(
            doctor, limits_group, "folder", WTL_HEALTH_BETTER,
            "cannot write to this folder (%s): traces need another one", wtl_strerror(errno));
        wtl_doctor_cure(f, "now", "wattle run -o \"$HOME\"/run.wtl -- COMMAND");
        return;
    }
    if (statvfs(".", &disk) < 0)
        return;
    uint64_t mib = (uint64_t)disk.f_bavail * disk.f_frsize >> 20;
    if (mib < 100) {
        struct wtl_finding *f = wtl_doctor_say(
            doctor, limits_group, "folder", WTL_HEALTH_BETTER,
            "only %llu MiB free in this folder: a one-hour trace at 1 kHz may need more",
            (unsigned long long)mib);
        wtl_doctor_cure(f, "now", "wattle run -o FOLDER-WITH-ROOM/run.wtl -- COMMAND");
        return;
    }
    wtl_doctor_say(doctor, limits_group, "folder", WTL_HEALTH_OK,
                   "traces can be written to this folder");
}

/* The file system type of a folder: that of the longest mount point above it. */
static void file_system_of(const char *mounts, const char *folder, char type[64])
{
    size_t longest = 0;
    type[0] = '\0';
    for (const char *line = mounts; line && *line; line = strchr(line, '\n')) {
        char mount[1024], one[64];
        line += *line == '\n';
        wtl_doctor_field(line, 1, mount, sizeof mount);
        wtl_doctor_field(line, 2, one, sizeof one);
        size_t n = strcmp(mount, "/") == 0 ? 0 : strlen(mount);
        if (n < longest || strncmp(folder, mount, n) != 0 || (folder[n] != '/' && folder[n]))
            continue;
        longest = n;
        (void)snprintf(type, 64, "%s", one);
    }
}

static bool is_among(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

/* Is this folder lost at the next reboot, or on a network file system? */
static void check_file_system(struct wtl_doctor *doctor)
{
    static const char *const memory[] = {"tmpfs", "ramfs", NULL};
    static const char *const net[] = {"nfs",  "nfs4", "cifs", "smb3",   "lustre",
                                      "gpfs", "ceph", "9p",   "beegfs", NULL};
    char here[4096], type[64], *mounts;
    if (doctor->world->virtual_time || !getcwd(here, sizeof here) ||
        wtl_world_slurp(doctor->world, "/proc/self/mounts", &mounts) < 0)
        return;
    file_system_of(mounts, here, type);
    free(mounts);
    if (is_among(type, memory))
        wtl_doctor_say(doctor, limits_group, "file-system", WTL_HEALTH_BETTER,
                       "this folder is in memory (%s): traces are lost at the next reboot", type);
    else if (is_among(type, net))
        wtl_doctor_say(
            doctor, limits_group, "file-system", WTL_HEALTH_BETTER,
            "this folder is on a network file system (%s): writing a trace wakes the network card",
            type);
    else if (type[0])
        wtl_doctor_say(doctor, limits_group, "file-system", WTL_HEALTH_OK, "traces go to %s", type);
}

static void check_terminal(struct wtl_doctor *doctor)
{
    const char *term = doctor->world->ops->getenv(doctor->world, "TERM");
    if (!term || !term[0] || strcmp(term, "dumb") == 0)
        wtl_doctor_say(doctor, limits_group, "terminal", WTL_HEALTH_NONE,
                       "the terminal (TERM) cannot move its cursor: output is plain text");
    else
        wtl_doctor_say(doctor, limits_group, "terminal", WTL_HEALTH_OK,
                       "the terminal can move its cursor");
}

static void doctor_limits(struct wtl_doctor *doctor)
{
    check_files(doctor);
    check_file_size(doctor);
    check_memory(doctor);
    check_place(doctor);
    check_file_system(doctor);
    check_terminal(doctor);
}

/* ---- tasks: what "wattle run --tasks" can record here ---- */

static const char tasks_group[] = "tasks";

static void check_runtime(struct wtl_doctor *doctor)
{
    char path[512];
    if (wtl_task_runtime_find(doctor->world, path, sizeof path)) {
        wtl_doctor_say(
            doctor, tasks_group, "openmp", WTL_HEALTH_OK,
            "OpenMP tasks are recorded of programs for a runtime with OMPT (clang, Intel), "
            "and of those for GCC's under %s, which do not report worksharing of static loops",
            path);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, tasks_group, "openmp", WTL_HEALTH_NONE,
        "OpenMP tasks are recorded of programs for a runtime with OMPT (clang, Intel), "
        "but not of those for GCC's, which does not report them: libomp is not installed");
    wtl_doctor_cure(f, "for good", "apt install libomp5 || dnf install libomp");
    wtl_doctor_gain(f, "tasks of programs that GCC compiled");
}

static void check_lines(struct wtl_doctor *doctor)
{
    if (wtl_debug_lines_available()) {
        wtl_doctor_say(
            doctor, tasks_group, "lines", WTL_HEALTH_OK,
            "tasks are named by function, file and line if the program has debug information");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, tasks_group, "lines", WTL_HEALTH_NONE,
                       "tasks are named by function only: libdw is not installed");
    wtl_doctor_cure(f, "for good", "apt install libdw1 || dnf install elfutils-libs");
    wtl_doctor_gain(f, "file and line of each task");
}

static void check_threads(struct wtl_doctor *doctor)
{
    char path[4096];
    if (wtl_tools_library(doctor->world, "libwattle-pthread.so", path, sizeof path)) {
        wtl_doctor_say(doctor, tasks_group, "threads", WTL_HEALTH_OK,
                       "what POSIX and C11 threads wait for is recorded, of programs that are not "
                       "linked statically");
        return;
    }
    wtl_doctor_say(doctor, tasks_group, "threads", WTL_HEALTH_NONE,
                   "what POSIX and C11 threads wait for is not recorded: libwattle-pthread.so is "
                   "not installed with this wattle");
}

static void doctor_tasks(struct wtl_doctor *doctor)
{
    char path[4096];
    if (doctor->world->virtual_time)
        return; /* the libraries of a recorded host are not recorded */
    check_threads(doctor);
    if (!wtl_tools_library(doctor->world, "libwattle-ompt.so", path, sizeof path)) {
        wtl_doctor_say(
            doctor, tasks_group, "openmp", WTL_HEALTH_NONE,
            "OpenMP tasks are not recorded: libwattle-ompt.so is not installed with this wattle");
        return;
    }
    check_runtime(doctor);
    check_lines(doctor);
}

/* ---- all checks ---- */

int wtl_doctor_examine(struct wtl_doctor *doctor,
                       const struct wtl_world *world,
                       const struct wtl_selection *selection)
{
    struct utsname name;
    struct wtl_cpuinfo cpu;
    *doctor = (struct wtl_doctor){.world = world, .selection = selection};
    if (world->ops->uname(world, &name) == 0)
        (void)snprintf(doctor->host, sizeof doctor->host, "%.64s", name.nodename);
    doctor->measured = selection->total.count > 0 && selection->total.quality != WATTLE_ESTIMATED;
    wtl_virtual_detect(world, &doctor->where);
    if (!doctor->where.machine[0] && wtl_cpuinfo_read(world, &cpu) == 0 && cpu.hypervisor)
        (void)snprintf(doctor->where.machine, sizeof doctor->where.machine, "unknown hypervisor");
    doctor_sensors(doctor);
    wtl_doctor_container(doctor);
    doctor_machine(doctor);
    wtl_doctor_kernel(doctor);
    doctor_limits(doctor);
    doctor_tasks(doctor);
    return doctor->out_of_memory ? -ENOMEM : 0;
}

void wtl_doctor_fini(struct wtl_doctor *doctor)
{
    free(doctor->findings);
    *doctor = (struct wtl_doctor){0};
}
