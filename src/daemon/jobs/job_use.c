/* SPDX-License-Identifier: BSD-3-Clause */
/* What jobs use: see job_use.h. */
#include "daemon/jobs/job_use.h"

#include "account/cgroup_use.h"

static void look_at_cgroup(const struct wtl_world *world,
                           struct wtl_ledger_job *job,
                           uint64_t time_ns)
{
    struct wtl_job_use *use = &job->use;
    uint64_t now_ns, bytes;
    if (!job->terms.cgroup[0] || wtl_cgroup_cpu_ns(world, job->terms.cgroup, &now_ns) < 0)
        return; /* not yet, or not any more */
    /* One that appears late has counted what was seen in its processes; one that was made again counts from 0. */
    uint64_t before_ns = use->has_cgroup ? use->cgroup_ns : use->cpu_ns;
    if (now_ns >= before_ns)
        use->cpu_ns += now_ns - before_ns;
    else if (use->has_cgroup)
        use->cpu_ns += now_ns;
    use->cgroup_ns = now_ns;
    use->has_cgroup = true;
    use->seen_ns = time_ns;
    if (wtl_cgroup_peak_bytes(world, job->terms.cgroup, &bytes) == 0 && bytes > use->peak_bytes)
        use->peak_bytes = bytes;
}

static bool is_tree(const struct wtl_ledger_job *job)
{
    return (job->terms.slurm || job->terms.pid) && !job->use.has_cgroup;
}

static int look_at_tree(const struct wtl_process_scan *scan,
                        struct wtl_ledger_job *job,
                        uint64_t *ret_used_ns)
{
    const struct wtl_tree_root root = {.pid = job->terms.pid, .slurm = job->terms.slurm};
    bool known = job->tree.members;
    int rc = wtl_tree_used_ns(scan, &root, &job->tree, ret_used_ns);
    if (rc < 0)
        return rc;
    if (!known) /* wattled was started again, or these are its first processes */
        *ret_used_ns -= *ret_used_ns < job->use.tree_ns ? *ret_used_ns : job->use.tree_ns;
    job->use.tree_ns = wtl_tree_total_ns(&job->tree);
    return 0;
}

void wtl_jobs_use_look(const struct wtl_world *world,
                       struct wtl_ledger_job *const *jobs,
                       size_t count,
                       uint64_t time_ns)
{
    struct wtl_process_scan *scan = NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t used_ns;
        look_at_cgroup(world, jobs[i], time_ns);
        if (!is_tree(jobs[i]) || (!scan && wtl_process_scan(world, &scan) < 0) ||
            look_at_tree(scan, jobs[i], &used_ns) < 0)
            continue;
        jobs[i]->use.cpu_ns += used_ns;
        jobs[i]->use.seen_ns = time_ns;
    }
    wtl_process_scan_free(scan);
}

void wtl_job_use_begin(const struct wtl_world *world, struct wtl_ledger_job *job)
{
    struct wtl_process_scan *scan = NULL;
    uint64_t used_ns;
    look_at_cgroup(world, job, job->begin_ns);
    if (is_tree(job) && wtl_process_scan(world, &scan) == 0 &&
        look_at_tree(scan, job, &used_ns) == 0)
        job->use.seen_ns = job->begin_ns;
    wtl_process_scan_free(scan);
    job->use.cpu_ns = 0;
}
