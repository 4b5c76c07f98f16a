/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hardware counters of jobs. wattled opens those of the machine, some for each CPU, while it may; a job that has CPUs of its own has what these
 * count. So no job needs events of its own, and none is slowed. They count only while jobs share the node, and give way to other programs that use
 * the hardware.
 */
#ifndef WTL_DAEMON_JOB_COUNTERS_H
#define WTL_DAEMON_JOB_COUNTERS_H

#include "account/cpu_times.h"
#include "counters/columns/work_counter.h"
#include "daemon/jobs/job_gpus.h"

/* Zeroed = there are none. */
struct wtl_job_counters {
    struct wtl_work_counter *machine; /* borrowed */
    bool counts;                      /* now; else they rest */
    uint64_t rest_until_ns;           /* others use the hardware */
    size_t cpus;
    struct wtl_share_events *last; /* [cpus] at the last look */
};

/* Use this counter of the machine, which is at rest, and outlives the jobs. */
void wtl_job_counters_use(struct wtl_job_counters *counters, struct wtl_work_counter *machine);
void wtl_job_counters_fini(struct wtl_job_counters *counters);
void wtl_job_counters_rest(struct wtl_job_counters *counters); /* until the next look */

/* A job with CPUs of its own begins, just after a look: count from now on, since the next look may need it. */
void wtl_job_counters_begin(struct wtl_job_counters *counters, const struct wtl_cpu_times *times);

/*
 * Look: events[set->count] of the jobs, and steps, that have CPUs of their own, since the last look; entries' events point to them. The others have none, and all
 * of them if one may run anywhere.
 */
void wtl_job_counters_look(struct wtl_job_counters *counters,
                           const struct wtl_cpu_times *times,
                           const struct wtl_job_set *set,
                           struct wtl_share_job *entries,
                           struct wtl_share_events *events);

/* After that look: why job k was not divided by counters. */
enum wtl_job_uncounted wtl_job_counters_reason(const struct wtl_job_counters *counters,
                                               const struct wtl_job_set *set,
                                               const struct wtl_share_job *entries,
                                               size_t k);

#endif
