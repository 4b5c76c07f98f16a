/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `cpufreq`: the frequency of each core, as last measured or set by the kernel (scaling_cur_freq;
 * Documentation/admin-guide/pm/cpufreq.rst). One thread represents its core.
 */
#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/world/topology.h"
#include "counters/file_set.h"

static int cpufreq_open(struct wtl_source *source, struct wattle_error *err)
{
    struct wtl_topology topology;
    int rc = wtl_topology_load(source->world, &topology);
    if (rc < 0)
        return wtl_fail(err, rc, "cpufreq: no CPU is listed in /sys or /proc/stat");
    rc = wtl_file_set_init(source);
    for (size_t i = 0; i < topology.count && rc == 0; i++) {
        const struct wtl_cpu *cpu = &topology.cpus[i];
        if (!cpu->first_of_core)
            continue;
        struct wattle_channel channel =
            wtl_channel_init(WATTLE_DOMAIN_CORE, cpu->package, WATTLE_FREQUENCY, WATTLE_GAUGE);
        char path[96];
        channel.sub = cpu->number;
        channel.scale = 1000; /* kHz */
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
                       cpu->number);
        if (wtl_file_set_add(source, path, &channel) == -ENOMEM)
            rc = -ENOMEM;
    }
    wtl_topology_fini(&topology);
    if (rc < 0 || source->count > 0)
        return rc;
    return wtl_fail(err, -ENODEV,
                    "cpufreq: no cpufreq/scaling_cur_freq in /sys/devices/system/cpu; virtual "
                    "machines and kernels without a cpufreq driver have none");
}

extern const struct wtl_driver wtl_driver_cpufreq;
const struct wtl_driver wtl_driver_cpufreq = {
    .name = "cpufreq",
    .summary = "frequency of each core",
    .flags = WTL_DRIVER_ACTIVITY,
    .open = cpufreq_open,
    .read = wtl_file_set_read,
    .close = wtl_file_set_close,
};
