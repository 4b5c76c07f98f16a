/* SPDX-License-Identifier: BSD-3-Clause */
/* A PMU as described in /sys/bus/event_source/devices: its type, CPUs and events. */
#ifndef WTL_SENSORS_PERF_PMU_H
#define WTL_SENSORS_PERF_PMU_H

#include <stdint.h>

#include "base/world/topology.h"
#include "base/world/world.h"

struct wtl_pmu {
    char name[32];
    uint32_t type;
    uint8_t cpus[WTL_CPUS_MAX / 8]; /* where its events are opened; see has_cpumask */
    int has_cpumask;                /* 0 = events can be opened on every CPU */
};

struct wtl_pmu_event {
    char name[32];
    uint64_t config[3]; /* config, config1, config2 of struct perf_event_attr */
    double scale;       /* 1 if not given */
    char unit[16];      /* "" if not given */
};

/* Returns 0, -ENODEV when there is no such PMU, -EBADMSG when its description cannot be parsed. */
int wtl_pmu_load(const struct wtl_world *world, const char *name, struct wtl_pmu *ret_pmu);

/* Names of a PMU's events, as from world->list: one block freed by the caller; returns their number. */
int wtl_pmu_list(const struct wtl_world *world, const struct wtl_pmu *pmu, char ***ret_names);

/* One event by name: 0, -ENOENT, -EBADMSG. */
int wtl_pmu_event(const struct wtl_world *world,
                  const struct wtl_pmu *pmu,
                  const char *name,
                  struct wtl_pmu_event *ret_event);

#endif
