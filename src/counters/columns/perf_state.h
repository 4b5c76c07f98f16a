/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a target and their state, for perf_events.h and perf_unit.h. */
#ifndef WTL_COUNTERS_PERF_STATE_H
#define WTL_COUNTERS_PERF_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "counters/columns/core_pmu.h"
#include "counters/columns/perf_name.h"
#include "source/driver.h"

enum { WTL_PERF_GROUP = 16, WTL_PERF_HARDWARE_GROUP = 4 };

struct wtl_perf_event {
    struct wtl_perf_code code;
    bool user_only; /* the kernel is left out: not permitted */
    int status;     /* of opening, or of the last read */
    struct wattle_error why;
    struct wtl_remedy remedy;
    uint64_t value;                /* since the first read, scaled */
    double rest;                   /* below one event */
    double enabled_ns, running_ns; /* since the first read, summed */
    double waited_ns;              /* after that, not counted yet */
};

struct wtl_perf_unit;

/* Are its places threads rather than CPUs? */
static inline bool wtl_perf_is_of_threads(enum wtl_counted scope)
{
    return scope == WTL_COUNTED_TREE || scope == WTL_COUNTED_PROCESS;
}

struct wtl_perf_events {
    const struct wtl_world *world;
    const struct wtl_target *target;
    enum wtl_counted scope;
    struct wtl_core_pmus pmus;
    struct wtl_perf_event *list;
    size_t count;
    struct wtl_perf_unit *units; /* one for each group on each CPU or thread */
    size_t unit_count;
    int cgroup_fd; /* -1 = none */
    int *places;   /* CPUs or threads */
    size_t place_count;
    char online[1024]; /* CPUs when opened; only of a machine or cgroup */
    int online_fd;     /* -1 = not read */
    uint64_t read_ns;  /* last time */
    bool stale; /* a CPU went offline or came online: the sum is not that of the machine any more */
};

#endif
