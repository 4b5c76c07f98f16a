/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU load of a process tree: see load_meter.h. */
#define _GNU_SOURCE
#include "sim/load_meter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/parse.h"
#include "base/world/world.h"

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

/* A process as seen by a scan of /proc. */
struct process {
    pid_t pid, parent;
    uint64_t ticks; /* its own, and those of children it has waited for */
    int ours;
};

/* Fields 4 and 14 to 17 of /proc/PID/stat; the name in field 2 may contain anything. */
static int read_process(const char *pid, struct process *process)
{
    char path[48], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, sizeof text - 1);
    (void)close(fd);
    if (n <= 0)
        return -EIO;
    text[n] = '\0';
    char *p = strrchr(text, ')');
    *process = (struct process){.pid = (pid_t)strtol(pid, NULL, 10)};
    for (int field = 3; p && field <= 17; field++) {
        p = strchr(p + 1, ' ');
        uint64_t value = 0;
        if (p && field >= 4)
            (void)wtl_scan_u64(p + 1, strlen(p + 1), &value); /* negative ones stay 0 */
        if (field == 4)
            process->parent = (pid_t)value;
        if (field >= 14)
            process->ticks += value;
    }
    return p ? 0 : -EBADMSG;
}

static size_t list_processes(struct process **ret_list)
{
    struct process *list = NULL;
    size_t n = 0, room = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc && (entry = readdir(proc))) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        if (wtl_reserve(&list, &room, n + 1, sizeof *list) < 0)
            break;
        list[n] = (struct process){0};
        n += read_process(entry->d_name, &list[n]) == 0;
    }
    if (proc)
        (void)closedir(proc);
    *ret_list = list;
    return n;
}

/* CPU time of the tree below pid: live processes with the children they have waited for, plus our
 * own waited-for children. */
static uint64_t scan_tree(pid_t pid)
{
    struct process *list;
    size_t n = list_processes(&list);
    uint64_t ticks = 0;
    int found = 1;
    for (size_t i = 0; i < n; i++)
        list[i].ours = list[i].pid == pid;
    while (found) { /* children may be listed before their parents */
        found = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < n && !list[i].ours; k++)
                found |= list[i].ours = list[k].ours && list[k].pid == list[i].parent;
        }
    }
    for (size_t i = 0; i < n; i++)
        ticks += list[i].ours ? list[i].ticks : 0;
    free(list);
    long hz = sysconf(_SC_CLK_TCK);
    return ticks * (1000000000u / (uint64_t)(hz > 0 ? hz : 100));
}

static uint64_t used_ns(const struct wtl_load_meter *meter)
{
    uint64_t value;
    if (meter->fd >= 0)
        return read(meter->fd, &value, sizeof value) == (ssize_t)sizeof value ? value : 0;
    return scan_tree(meter->pid);
}

void wtl_load_meter_init(struct wtl_load_meter *meter, pid_t pid, int cpus, bool perf)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .inherit = 1,
                                   .exclude_kernel = 1, /* still counts kernel time, but needs no
                                                         * privilege */
                                   .exclude_hv = 1};
    *meter = (struct wtl_load_meter){.fd = -1, .pid = pid, .cpus = cpus};
    if (perf)
        meter->fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    meter->last_ns = now_ns();
    meter->last_used_ns = used_ns(meter);
}

void wtl_load_meter_fini(struct wtl_load_meter *meter)
{
    if (meter->fd >= 0)
        (void)close(meter->fd);
    meter->fd = -1;
}

double wtl_load_meter_read(struct wtl_load_meter *meter)
{
    uint64_t now = now_ns(), used = used_ns(meter);
    if (now <= meter->last_ns)
        return meter->last_load;
    if (used < meter->last_used_ns) { /* a process has left the tree with its time */
        meter->last_ns = now;
        meter->last_used_ns = used;
        return meter->last_load;
    }
    double load =
        (double)(used - meter->last_used_ns) / (double)(now - meter->last_ns) / (double)meter->cpus;
    meter->last_ns = now;
    meter->last_used_ns = used;
    meter->last_load = load < 1 ? load : 1;
    return meter->last_load;
}

uint64_t wtl_load_meter_period_ns(const struct wtl_load_meter *meter)
{
    return meter->fd >= 0 ? 1000000 : 50000000;
}
