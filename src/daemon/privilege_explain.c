/* SPDX-License-Identifier: BSD-3-Clause */
/* `wattled --explain`: what wattled holds and why: see privilege.h. */
#define _GNU_SOURCE
#include <stdio.h>

#include "daemon/privilege.h"
#include "daemon/privilege_table.h"

struct held {
    const char *name, *why;
};

static const struct held capabilities[] = {
    {"CAP_DAC_READ_SEARCH", "open counters and devices that only root may open"},
    {"CAP_PERFMON", "open perf events of the whole machine (CAP_SYS_ADMIN before Linux 5.8)"},
    {"CAP_SYS_RAWIO", "open /dev/cpu/N/msr"},
    {"CAP_CHOWN", "started as root: give /run/wattle and /var/lib/wattle to its user"},
    {"CAP_SETUID", "started as root: become its user"},
    {"CAP_SETGID", "started as root: become its group, leave all others"},
    {"CAP_SETPCAP", "started as root: empty the bounding set"},
};

static const struct held files[] = {
    {"/sys/class/powercap, /sys/class/hwmon", "sensors; opened at start, read only"},
    {"/dev/cpu/N/msr, perf events", "sensors; opened at start, read only"},
    {"/etc/wattle/wattle.conf", "settings; read at start and on reload"},
    {"/sys/fs/cgroup/BATCH-CGROUP", "processes of jobs; read only"},
    {"/sys/fs/cgroup/JOB", "CPU time and memory of jobs that root has begun with one; read only"},
    {"/proc/PID/status", "users of these processes; read only"},
    {"/proc/PID/stat, cmdline", "CPU time of jobs that have no cgroup, which processes; read only"},
    {"/proc/stat", "busy time of each CPU; read only"},
    {"/etc/wattle/calibration.conf", "how power depends on activity; read at start"},
    {"/etc/passwd, /etc/group, name services", "members of the group that may read; read only"},
    {"/run/wattle", "socket, ledger, allowed users; written"},
    {"/var/lib/wattle", "checkpoints of jobs; written"},
    {"pages", "anonymous memory; readers get descriptors that are open for reading only"},
};

static const struct held sockets[] = {
    {"/run/wattle/socket", "listens; SOCK_SEQPACKET, mode 0666, users known by SO_PEERCRED"},
    {"$NOTIFY_SOCKET", "reports readiness to systemd"},
    {"name services", "asks about users and groups, with readers = group only"},
    {"pairs", "to the processes of this table; orders, values, descriptors"},
    {"network", "none; socket(2) allows AF_UNIX only"},
};

/* Only where there are GPUs; neither has a capability. */
static const struct held processes[] = {
    {"a copy of wattled",
     "starts wattle-gpu, also after a crash, with the same words only; same user, "
     "with its groups; no filter of system calls"},
    {"wattle-gpu", "the library of a vendor of GPUs, which opens /dev/nvidia*, /dev/kfd or "
                   "/dev/dri/renderD*; the same"},
};

static void print_held(FILE *out, const char *title, const struct held *list, size_t count)
{
    fprintf(out, "%s\n", title);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %-40s %s\n", list[i].name, list[i].why);
    fputc('\n', out);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

void wtl_privilege_explain(FILE *out)
{
    fprintf(out, "user\n  that of the setting \"user\"; no other groups, no_new_privs, not "
                 "dumpable\n\n");
    print_held(out, "capabilities at start, all given up before the first request is read",
               capabilities, COUNT(capabilities));
    fprintf(out, "capabilities afterwards\n  none\n\n");
    print_held(out, "files", files, COUNT(files));
    print_held(out, "sockets", sockets, COUNT(sockets));
    print_held(out, "processes", processes, COUNT(processes));
    fprintf(out, "system calls (seccomp; others fail with ENOSYS, other arguments with EPERM)\n");
    for (size_t i = 0; i < wtl_allowed_call_count; i++)
        fprintf(out, "  %-20s %s\n", wtl_allowed_calls[i].name, wtl_allowed_calls[i].why);
}
