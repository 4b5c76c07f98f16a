/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Busy time of the whole machine: CPU time that all processors together have spent on anything but idling, in
 * nanoseconds since an arbitrary origin. Three sources:
 *
 *   cpuacct   cpuacct.usage of the root cgroup (v1): nanoseconds, at most one scheduler tick late
 *             per CPU
 *   stat      clock x CPUs - idle - iowait - steal of /proc/stat: idle time is exact on tickless
 *             kernels, printed in 10 ms
 *   schedstat run time of /proc/schedstat: nanoseconds, but a thread that is never switched away
 *             shows up only when it ends; used only on request
 *
 * A system-wide perf cpu-clock or task-clock is not usable: without a hardware PMU it counts idle time too,
 * whatever exclude_idle is set to (checked on Linux 6.18).
 */
#ifndef WTL_SOURCE_BUSY_H
#define WTL_SOURCE_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "base/world/world.h"

enum wtl_busy_kind { WTL_BUSY_CPUACCT, WTL_BUSY_STAT, WTL_BUSY_SCHEDSTAT };

struct wtl_busy {
    const struct wtl_world *world;
    enum wtl_busy_kind kind;
    int fd;                 /* -1 = closed */
    unsigned cpus;          /* online when opened */
    uint64_t resolution_ns; /* of the sum over all CPUs */
    bool has_origin;
    uint64_t origin_ns, last_ns; /* first value; largest value since: the counter never decreases */
    char *buf;                   /* schedstat only */
    size_t buf_size;
    char where[96]; /* path, and how it is read */
};

/* `prefer`: "auto", "cpuacct", "stat" or "schedstat". Returns 0, -EINVAL for another word, or the reason
 * why the source cannot be read. */
int wtl_busy_open(struct wtl_busy *busy,
                  const struct wtl_world *world,
                  const char *prefer,
                  struct wattle_error *err);

/* Busy nanoseconds. Does not allocate, lock or print. */
int wtl_busy_read(struct wtl_busy *busy, uint64_t *ret_ns);

void wtl_busy_close(struct wtl_busy *busy); /* no effect if closed */

#endif
