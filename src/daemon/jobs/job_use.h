/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What jobs use: CPU time and memory, from their cgroups, or from their processes as long as no cgroup of theirs was seen.
 *
 * A cgroup is mostly removed before the end of its job is told, with what it used since the last look. The cgroup above keeps
 * counting that: what it shows more than those that are still there is of the one that is gone, if there is only one, and if no
 * cgroup is there that is no job's.
 */
#ifndef WTL_DAEMON_JOB_USE_H
#define WTL_DAEMON_JOB_USE_H

#include "base/world/world.h"
#include "daemon/ledger_job.h"

/* The cgroups above those of jobs, from look to look. Zeroed = none. */
struct wtl_job_roofs {
    size_t count;
    struct wtl_job_roof *list;
};
void wtl_job_roofs_fini(struct wtl_job_roofs *roofs);

/* Bring all jobs up to date with an instant. */
void wtl_jobs_use_look(const struct wtl_world *world,
                       struct wtl_job_roofs *roofs,
                       struct wtl_ledger_job *const *jobs,
                       size_t count,
                       uint64_t time_ns);

/* What a job that begins now finds in its cgroup, or in its processes, is not its own. */
void wtl_job_use_begin(const struct wtl_world *world,
                       struct wtl_job_roofs *roofs,
                       struct wtl_ledger_job *job);

#endif
