/* SPDX-License-Identifier: BSD-3-Clause */
/* What jobs use: CPU time and memory, from their cgroups, or from their processes as long as no cgroup of theirs was seen. */
#ifndef WTL_DAEMON_JOB_USE_H
#define WTL_DAEMON_JOB_USE_H

#include "base/world/world.h"
#include "daemon/ledger_job.h"

/* Bring all jobs up to date with an instant. */
void wtl_jobs_use_look(const struct wtl_world *world,
                       struct wtl_ledger_job *const *jobs,
                       size_t count,
                       uint64_t time_ns);

/* What a job that begins now finds in its cgroup, or in its processes, is not its own. */
void wtl_job_use_begin(const struct wtl_world *world, struct wtl_ledger_job *job);

#endif
