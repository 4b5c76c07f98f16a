/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU load of a process tree: see load_meter.h. */
#define _GNU_SOURCE
#include "sim/load_meter.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/world/world.h"
#include "sim/process_tree.h"

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

/* CPU time of the tree below pid: live processes with the children they have waited for, plus our
 * own waited-for children. */
static uint64_t scan_tree(pid_t pid)
{
    struct wtl_sim_process *list;
    size_t n = wtl_sim_process_tree(pid, &list);
    uint64_t ticks = 0;
    for (size_t i = 0; i < n; i++)
        ticks += list[i].ticks;
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
