/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where jobs ran. The kernel provides the CPU time of a job, the CPUs on which it may run, and how long each CPU was busy, but
 * not how long a job ran on each CPU. This is the most even assignment that matches these: the CPU time of each
 * job, and of the rest of the machine, is spread over the CPUs on which it may run in proportion to their busy time,
 * then adjusted until no CPU has more than its busy time (iterative proportional fitting).
 *
 * Jobs that may run on the same CPUs are spread alike, so splitting one of them changes nothing.
 */
#ifndef WTL_ACCOUNT_CPU_PLACEMENT_H
#define WTL_ACCOUNT_CPU_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/shares/share_events.h"

/* CPU time of each CPU in the interval; meanings as in struct wtl_node_look. */
struct wtl_share_cpus {
    size_t count;
    const uint32_t *core_of;
    const double *busy_s;
    const double *frequency_ghz; /* NULL = unknown */
};

struct wtl_share_job {
    double used_s;                         /* CPU time */
    const struct wtl_share_events *events; /* NULL = not counted */
    const bool *may_on;                    /* [cpus->count]: CPUs it may run on; NULL = all */
    double
        reserved; /* part of the node that is its own, whose idle energy it is charged (wtl_shares) */
};

/*
 * used_s[n][cpus->count]. Every job is assigned all of its CPU time, if need be on CPUs where it may not run (its
 * threads may have affinities of their own) or beyond their busy time. Returns 0; -EINVAL when a value is
 * negative or not finite; -ENOMEM. Pure.
 */
int wtl_placement(const struct wtl_share_cpus *cpus,
                  const struct wtl_share_job *jobs,
                  size_t n,
                  double *used_s);

#endif
