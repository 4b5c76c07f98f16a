/* SPDX-License-Identifier: BSD-3-Clause */
/* What wattle itself needs: open files, memory, a place for traces, a terminal. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"

static const char group[] = "limits";

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
        wtl_doctor_say(doctor, group, "files", WTL_HEALTH_OK,
                       "the limit on open files is sufficient");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "files", WTL_HEALTH_BLOCKED,
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
        wtl_doctor_say(doctor, group, "file-size", WTL_HEALTH_OK, "file size is not limited");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "file-size", WTL_HEALTH_BETTER,
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
        wtl_doctor_say(doctor, group, "memory", WTL_HEALTH_BLOCKED,
                       "only %llu MiB of memory available", (unsigned long long)available / 1024);
    else if (swap > 0 && swapped <= swap && swapped > swap / 4)
        wtl_doctor_say(doctor, group, "memory", WTL_HEALTH_BETTER,
                       "%llu MiB are swapped out: runs wait for the disk and vary",
                       (unsigned long long)swapped / 1024);
    else
        wtl_doctor_say(doctor, group, "memory", WTL_HEALTH_OK, "enough memory is available");
}

/* The folder where "wattle run" would write its trace; not checked for a recorded host. */
static void check_place(struct wtl_doctor *doctor)
{
    struct statvfs disk;
    if (doctor->world->virtual_time) {
        wtl_doctor_say(doctor, group, "folder", WTL_HEALTH_NONE, "a recorded host has no disk");
        return;
    }
    if (access(".", W_OK) < 0) {
        struct wtl_finding *f = wtl_doctor_say(
            doctor, group, "folder", WTL_HEALTH_BETTER,
            "cannot write to this folder (%s): traces need another one", wtl_strerror(errno));
        wtl_doctor_cure(f, "now", "wattle run -o \"$HOME\"/run.wtl -- COMMAND");
        return;
    }
    if (statvfs(".", &disk) < 0)
        return;
    uint64_t mib = (uint64_t)disk.f_bavail * disk.f_frsize >> 20;
    if (mib < 100) {
        struct wtl_finding *f = wtl_doctor_say(
            doctor, group, "folder", WTL_HEALTH_BETTER,
            "only %llu MiB free in this folder: a one-hour trace at 1 kHz may need more",
            (unsigned long long)mib);
        wtl_doctor_cure(f, "now", "wattle run -o FOLDER-WITH-ROOM/run.wtl -- COMMAND");
        return;
    }
    wtl_doctor_say(doctor, group, "folder", WTL_HEALTH_OK, "traces can be written to this folder");
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
        wtl_doctor_say(doctor, group, "file-system", WTL_HEALTH_BETTER,
                       "this folder is in memory (%s): traces are lost at the next reboot", type);
    else if (is_among(type, net))
        wtl_doctor_say(
            doctor, group, "file-system", WTL_HEALTH_BETTER,
            "this folder is on a network file system (%s): writing a trace wakes the network card",
            type);
    else if (type[0])
        wtl_doctor_say(doctor, group, "file-system", WTL_HEALTH_OK, "traces go to %s", type);
}

static void check_terminal(struct wtl_doctor *doctor)
{
    const char *term = doctor->world->ops->getenv(doctor->world, "TERM");
    if (!term || !term[0] || strcmp(term, "dumb") == 0)
        wtl_doctor_say(doctor, group, "terminal", WTL_HEALTH_NONE,
                       "the terminal (TERM) cannot move its cursor: output is plain text");
    else
        wtl_doctor_say(doctor, group, "terminal", WTL_HEALTH_OK,
                       "the terminal can move its cursor");
}

void wtl_doctor_limits(struct wtl_doctor *doctor)
{
    check_files(doctor);
    check_file_size(doctor);
    check_memory(doctor);
    check_place(doctor);
    check_file_system(doctor);
    check_terminal(doctor);
}
