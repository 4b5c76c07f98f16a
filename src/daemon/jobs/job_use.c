/* SPDX-License-Identifier: BSD-3-Clause */
/* What jobs use: see job_use.h. */
#include "daemon/jobs/job_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/cgroup_use.h"
#include "base/grow.h"

struct wtl_job_roof {
    char path[WTL_JOB_PATH_MAX + 1];
    uint64_t cpu_ns;   /* at the last look */
    uint64_t below_ns; /* used since then by those that are there */
    size_t there;      /* so many */
    bool wanted;       /* by an open job */
};

/* They are read one after the other: what each that is there may use meanwhile. */
static const uint64_t READ_NS = 1000000;

/* ---- one cgroup ---- */

/* What it has used since the last look. False: it is not there. */
static bool look_at_cgroup(const struct wtl_world *world,
                           struct wtl_ledger_job *job,
                           uint64_t time_ns,
                           uint64_t *ret_used_ns)
{
    struct wtl_job_use *use = &job->use;
    uint64_t now_ns, bytes, before_ns = use->cgroup_ns;
    *ret_used_ns = 0;
    if (wtl_cgroup_cpu_ns(world, job->terms.cgroup, &now_ns) < 0) {
        use->gone = true; /* not yet, or not any more */
        return false;
    }
    if (!use->has_cgroup) /* what was seen in its processes is in it */
        before_ns = use->cpu_ns < now_ns ? use->cpu_ns : now_ns;
    else if (use->gone || now_ns < before_ns) /* it was made again */
        before_ns = 0;
    *ret_used_ns = now_ns - before_ns;
    use->cpu_ns += *ret_used_ns;
    use->cgroup_ns = now_ns;
    use->has_cgroup = true;
    use->gone = false;
    use->seen_ns = time_ns;
    if (wtl_cgroup_peak_bytes(world, job->terms.cgroup, &bytes) == 0 && bytes > use->peak_bytes)
        use->peak_bytes = bytes;
    return true;
}

/* ---- the cgroups above ---- */

void wtl_job_roofs_fini(struct wtl_job_roofs *roofs)
{
    free(roofs->list);
    *roofs = (struct wtl_job_roofs){.count = 0};
}

/* The folder it is in; above a folder for each user, which is removed with the last of the user's jobs. "" = none. */
static void roof_path(const struct wtl_ledger_job *job, char *path)
{
    memcpy(path, job->terms.cgroup, sizeof job->terms.cgroup);
    char *slash = strrchr(path, '/');
    if (!slash) {
        path[0] = '\0';
        return;
    }
    *slash = '\0';
    slash = strrchr(path, '/');
    if (slash && strncmp(slash, "/uid_", 5) == 0)
        *slash = '\0';
}

/* NULL = it has none, or no memory. */
static struct wtl_job_roof *roof_of(const struct wtl_world *world,
                                    struct wtl_job_roofs *roofs,
                                    const struct wtl_ledger_job *job)
{
    struct wtl_job_roof fresh = {.cpu_ns = 0};
    roof_path(job, fresh.path);
    for (size_t i = 0; i < roofs->count; i++) {
        if (strcmp(roofs->list[i].path, fresh.path) == 0)
            return &roofs->list[i];
    }
    if (!fresh.path[0] || wtl_cgroup_cpu_ns(world, fresh.path, &fresh.cpu_ns) < 0 ||
        wtl_grow(&roofs->list, roofs->count, sizeof *roofs->list) < 0)
        return NULL;
    roofs->list[roofs->count] = fresh;
    return &roofs->list[roofs->count++];
}

/* Cgroups directly below it, or below its folders of users, but for what the batch system itself has there. */
static size_t count_below(const struct wtl_world *world, const char *path, bool users)
{
    char **names = NULL, below[2 * WTL_JOB_PATH_MAX];
    size_t found = 0;
    int count = wtl_cgroup_children(world, path, &names);
    for (int i = 0; i < count; i++) {
        (void)snprintf(below, sizeof below, "%s/%.200s", path, names[i]);
        if (users && strncmp(names[i], "uid_", 4) == 0)
            found += count_below(world, below, false);
        else
            found += strcmp(names[i], "system") != 0;
    }
    free(names);
    return found;
}

/* The one job of a roof that may have used what those that are there have not. NULL = there are several, or none. */
static struct wtl_ledger_job *missing_job(const struct wtl_job_roof *roof,
                                          struct wtl_ledger_job *const *jobs,
                                          size_t count,
                                          uint64_t look_ns)
{
    struct wtl_ledger_job *absent = NULL, *recent = NULL;
    size_t absents = 0, recents = 0;
    for (size_t i = 0; i < count; i++) {
        char path[WTL_JOB_PATH_MAX + 1];
        struct wtl_ledger_job *job = jobs[i];
        if (!job->terms.cgroup[0] || !job->use.gone || job->tree.members)
            continue;
        roof_path(job, path);
        if (strcmp(path, roof->path) != 0)
            continue;
        bool is_recent = job->ending || (job->use.has_cgroup && job->use.seen_ns >= look_ns);
        absent = job;
        absents++;
        recent = is_recent ? job : recent;
        recents += is_recent;
    }
    return recents == 1 ? recent : absents == 1 ? absent : NULL;
}

/* Those that are gone have used nothing since the last look. */
static void note_quiet(const struct wtl_job_roof *roof,
                       struct wtl_ledger_job *const *jobs,
                       size_t count,
                       uint64_t time_ns)
{
    for (size_t i = 0; i < count; i++) {
        char path[WTL_JOB_PATH_MAX + 1];
        struct wtl_job_use *use = &jobs[i]->use;
        if (!jobs[i]->terms.cgroup[0] || !use->gone || !use->has_cgroup ||
            use->seen_ns < jobs[i]->until_ns) /* what it used before is not known either */
            continue;
        roof_path(jobs[i], path);
        if (strcmp(path, roof->path) == 0)
            use->seen_ns = time_ns;
    }
}

static void look_at_roof(const struct wtl_world *world,
                         struct wtl_job_roof *roof,
                         struct wtl_ledger_job *const *jobs,
                         size_t count,
                         uint64_t time_ns)
{
    uint64_t now_ns, before_ns = roof->cpu_ns, look_ns = 0;
    if (wtl_cgroup_cpu_ns(world, roof->path, &now_ns) < 0) {
        roof->wanted = false;
        return;
    }
    roof->cpu_ns = now_ns;
    if (now_ns < before_ns)
        return;
    if (now_ns - before_ns <= roof->below_ns + READ_NS * roof->there) {
        note_quiet(roof, jobs, count, time_ns);
        return;
    }
    for (size_t i = 0; i < count; i++)
        look_ns = jobs[i]->until_ns > look_ns ? jobs[i]->until_ns : look_ns;
    struct wtl_ledger_job *job = missing_job(roof, jobs, count, look_ns);
    if (!job || count_below(world, roof->path, true) > roof->there)
        return;
    job->use.cpu_ns += now_ns - before_ns - roof->below_ns;
    job->use.seen_ns = time_ns;
    job->use.has_cgroup = true;
}

static void drop_roofs(struct wtl_job_roofs *roofs)
{
    size_t kept = 0;
    for (size_t i = 0; i < roofs->count; i++) {
        if (roofs->list[i].wanted)
            roofs->list[kept++] = roofs->list[i];
    }
    if (kept < roofs->count) { /* its room is that of a list of this count */
        struct wtl_job_roof *list = NULL;
        size_t n = 0;
        while (n < kept && wtl_grow(&list, n, sizeof *list) == 0) {
            list[n] = roofs->list[n];
            n++;
        }
        free(roofs->list);
        *roofs = (struct wtl_job_roofs){.count = n, .list = list};
    }
}

static void look_at_cgroups(const struct wtl_world *world,
                            struct wtl_job_roofs *roofs,
                            struct wtl_ledger_job *const *jobs,
                            size_t count,
                            uint64_t time_ns)
{
    for (size_t i = 0; i < roofs->count; i++) {
        roofs->list[i].below_ns = roofs->list[i].there = 0;
        roofs->list[i].wanted = false;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t used_ns;
        if (!jobs[i]->terms.cgroup[0])
            continue;
        struct wtl_job_roof *roof = roof_of(world, roofs, jobs[i]);
        bool there = look_at_cgroup(world, jobs[i], time_ns, &used_ns);
        if (!roof)
            continue;
        roof->wanted = true;
        roof->there += there;
        roof->below_ns += used_ns;
    }
    for (size_t i = 0; i < roofs->count; i++) {
        if (roofs->list[i].wanted)
            look_at_roof(world, &roofs->list[i], jobs, count, time_ns);
    }
    drop_roofs(roofs);
}

/* ---- processes ---- */

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

static void note_since(uint64_t *since_ns, bool is, uint64_t time_ns)
{
    if (!is)
        *since_ns = 0;
    else if (*since_ns == 0)
        *since_ns = time_ns;
}

/* quiet: nothing of it is there but, perhaps, Slurm's step extern. */
static void note_gone(struct wtl_job_use *use, bool gone, bool quiet, uint64_t time_ns)
{
    note_since(&use->gone_ns, gone && use->seen_ns > 0, time_ns);
    note_since(&use->quiet_ns, (gone || quiet) && use->seen_ns > 0, time_ns);
}

/* Of the cgroup of a job: does it have the step extern, and no other one? */
static bool is_extern(const struct wtl_world *world, const struct wtl_ledger_job *job)
{
    char **names = NULL;
    size_t steps = 0, others = 0;
    int count = job->terms.cgroup[0] ? wtl_cgroup_children(world, job->terms.cgroup, &names) : 0;
    for (int i = 0; i < count; i++) {
        bool is_step = strncmp(names[i], "step_", 5) == 0;
        steps += is_step;
        others += is_step && strcmp(names[i], "step_extern") != 0;
    }
    free(names);
    return steps > 0 && others == 0;
}

void wtl_jobs_use_look(const struct wtl_world *world,
                       struct wtl_job_roofs *roofs,
                       struct wtl_ledger_job *const *jobs,
                       size_t count,
                       uint64_t time_ns)
{
    struct wtl_process_scan *scan = NULL;
    look_at_cgroups(world, roofs, jobs, count, time_ns);
    for (size_t i = 0; i < count; i++) {
        uint64_t used_ns;
        if (!is_tree(jobs[i]))
            note_gone(&jobs[i]->use, jobs[i]->use.gone, is_extern(world, jobs[i]), time_ns);
        if (!is_tree(jobs[i]) || (!scan && wtl_process_scan(world, &scan) < 0) ||
            look_at_tree(scan, jobs[i], &used_ns) < 0) {
            if (is_tree(jobs[i]))
                note_gone(&jobs[i]->use, true, true, time_ns);
            continue;
        }
        note_gone(&jobs[i]->use, false, wtl_tree_is_extern(&jobs[i]->tree), time_ns);
        jobs[i]->use.cpu_ns += used_ns;
        jobs[i]->use.seen_ns = time_ns;
    }
    wtl_process_scan_free(scan);
}

void wtl_job_use_begin(const struct wtl_world *world,
                       struct wtl_job_roofs *roofs,
                       struct wtl_ledger_job *job)
{
    struct wtl_process_scan *scan = NULL;
    uint64_t used_ns;
    if (job->terms.cgroup[0]) {
        (void)roof_of(world, roofs, job);
        (void)look_at_cgroup(world, job, job->begin_ns, &used_ns);
    }
    if (is_tree(job) && wtl_process_scan(world, &scan) == 0 &&
        look_at_tree(scan, job, &used_ns) == 0)
        job->use.seen_ns = job->begin_ns;
    wtl_process_scan_free(scan);
    job->use.cpu_ns = 0;
}
