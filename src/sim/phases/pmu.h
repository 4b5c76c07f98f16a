/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The performance counters of the simulated node, as perf_event_open(2) shows them: generic hardware events (and the
 * architectural events of Intel by their codes) count what the track does. What a real PMU has, as far as counting goes:
 * groups, read formats, ids, enable, disable and reset, and fewer counters than events, which then take turns of 4 ms
 * in the order in which they were opened. Events of a task count what the whole node does, since the node does only that;
 * events of one CPU count an equal share, and all CPUs together exactly the whole. On a node with programs they count what those of the
 * task, control group or CPU did. Pure: time is an argument.
 */
#ifndef WTL_SIM_PMU_H
#define WTL_SIM_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/phases/phase_track.h"
#include "sim/programs/programs.h"

struct perf_event_attr;
struct wtl_sim_event;
struct wtl_sim_pmu;

struct wtl_sim_pmu_config {
    const struct wtl_sim_track *track;       /* borrowed; NULL = no hardware events: -ENOENT */
    const struct wtl_sim_programs *programs; /* borrowed; instead of the track */
    uint64_t t0_ns;                          /* t = 0 of the track */
    int cpus;
    unsigned counters; /* of the hardware; 0 = as many as needed */
    bool denied;       /* to open an event is forbidden: -EACCES */
};

enum { WTL_SIM_EVENT_BYTES = 65536 }; /* the longest read */

/* Returns 0 or -ENOMEM. destroy closes all events, and accepts NULL. */
int wtl_sim_pmu_create(const struct wtl_sim_pmu_config *config, struct wtl_sim_pmu **ret_pmu);
void wtl_sim_pmu_destroy(struct wtl_sim_pmu *pmu);
void wtl_sim_pmu_start(struct wtl_sim_pmu *pmu, uint64_t t0_ns);

/* Whether events of this type are the node's, rather than the kernel's (software, tracepoints, other devices). */
bool wtl_sim_pmu_has(uint32_t type);

/* Open an event; leader NULL = a group of its own; control_group: of programs.h, -1 = none. 0, or -errno as the kernel gives: -ENOENT, -EINVAL, -EACCES,
 * -EOPNOTSUPP (sampling), -ENOMEM. */
int wtl_sim_pmu_open(struct wtl_sim_pmu *pmu,
                     const struct perf_event_attr *attr,
                     pid_t pid,
                     int cpu,
                     int control_group,
                     struct wtl_sim_event *leader,
                     uint64_t now_ns,
                     struct wtl_sim_event **ret_event);
void wtl_sim_event_close(struct wtl_sim_event *event, uint64_t now_ns);

/* Ids start at 1 and are never used again. NULL = no such event. */
uint64_t wtl_sim_event_id(const struct wtl_sim_event *event);
struct wtl_sim_event *wtl_sim_pmu_event(const struct wtl_sim_pmu *pmu, uint64_t id);

/* As read(2): the length, or -ENOSPC if n is too short. */
ssize_t wtl_sim_event_read(struct wtl_sim_event *event, uint64_t now_ns, void *buf, size_t n);
/* As ioctl(2) with PERF_EVENT_IOC_...; *ret_id is set by IOC_ID. 0, or -EINVAL. */
int wtl_sim_event_ioctl(struct wtl_sim_event *event,
                        uint64_t now_ns,
                        unsigned long request,
                        uint64_t argument,
                        uint64_t *ret_id);

#endif
