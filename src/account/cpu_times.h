/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long each CPU was busy since a mark, from /proc/stat (elapsed time minus idle, waiting and stolen time), with the
 * cores that the CPUs belong to and, on request, their frequencies. One thread.
 */
#ifndef WTL_ACCOUNT_CPU_TIMES_H
#define WTL_ACCOUNT_CPU_TIMES_H

#include <wattle/error.h>

#include "account/share.h"
#include "base/world/world.h"

/* Of /proc/stat: USER_HZ is 100 on every architecture wattle runs on. */
#define WTL_CPU_TICK_S 0.01

struct wtl_cpu_times {
    const struct wtl_world *world; /* NULL = closed */
    size_t count;
    int *numbers; /* [count], ascending */
    uint32_t *
        core_of; /* [count], as in struct wtl_node_look; separate where more than two CPUs share a core */
    double *busy_s; /* [count], from the mark to the last look */
    double *
        frequency_ghz; /* [count], mean of mark and last look; NULL = not requested or not available */
    uint64_t *spared, *mark_spared; /* [count]: ticks not busy */
    double *now_ghz, *mark_ghz;     /* [count] or NULL */
    uint64_t now_ns, mark_ns;
    int fd;
    char *text;
    size_t size;
};

/* Look for the first time, which is the mark. Returns 0, or the reason why /proc/stat does not show CPUs. */
int wtl_cpu_times_open(struct wtl_cpu_times *times,
                       const struct wtl_world *world,
                       bool with_frequency,
                       struct wattle_error *err);
int wtl_cpu_times_look(struct wtl_cpu_times *times);
/* Start from the last look. */
void wtl_cpu_times_mark(struct wtl_cpu_times *times);
void wtl_cpu_times_close(struct wtl_cpu_times *times); /* no effect if closed */

struct wtl_share_cpus wtl_cpu_times_cpus(const struct wtl_cpu_times *times);

/* Which CPUs a list such as "0-3,8" contains, into may_on[count]. False: all of them, or the list is not valid. */
bool wtl_cpu_times_are_some(const struct wtl_cpu_times *times, const char *list, bool *may_on);

#endif
