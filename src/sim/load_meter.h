/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU load of a command and its descendants, as a fraction of the machine's CPUs: from a perf
 * task clock if the kernel allows it (nanoseconds), else from /proc (ticks of 10 ms).
 */
#ifndef WTL_SIM_LOAD_METER_H
#define WTL_SIM_LOAD_METER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct wtl_load_meter {
    int fd; /* task clock; -1 = /proc */
    pid_t pid;
    int cpus;
    uint64_t last_ns, last_used_ns;
    double last_load;
};

/* pid has not exec'ed the command yet; cpus > 0. perf = false uses /proc at once. */
void wtl_load_meter_init(struct wtl_load_meter *meter, pid_t pid, int cpus, bool perf);
void wtl_load_meter_fini(struct wtl_load_meter *meter);

/* Load since the last call, 0 .. 1; the last value if it cannot be determined. */
double wtl_load_meter_read(struct wtl_load_meter *meter);

/* Minimum useful time between reads. */
uint64_t wtl_load_meter_period_ns(const struct wtl_load_meter *meter);

#endif
