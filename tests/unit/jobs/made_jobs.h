/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of jobs as a site has them: several nodes, steps, unknown energy, two clusters with equal ids. */
#ifndef WATTLE_TESTS_MADE_JOBS_H
#define WATTLE_TESTS_MADE_JOBS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "jobs/record.h"

enum { MADE_DAYS = 40, MADE_NODES = 6 };
#define MADE_START_NS INT64_C(1700000000000000000) /* not at midnight */

struct made_jobs {
    struct wtl_job_record *list;
    size_t count;
    uint64_t at;
};

static double made_random(struct made_jobs *made)
{
    return wtl_random_uniform(16, made->at++);
}

static int64_t made_one_of(struct made_jobs *made, int64_t n)
{
    return (int64_t)(made_random(made) * (double)n);
}

static void made_channels(struct wtl_job_record *record)
{
    static const char *const names[] = {"powercap:package-0", "powercap:dram-0"};
    for (size_t i = 0; i < 2; i++) {
        struct wtl_job_channel *channel;
        if (wtl_job_channel_add(record, &channel) < 0)
            abort();
        (void)wtl_job_text_set(channel->name, sizeof channel->name, names[i]);
        (void)wtl_job_text_set(channel->domain, sizeof channel->domain, i ? "dram" : "package");
        channel->energy_j = record->energy_j * (i ? 0.25 : 0.75);
        channel->share_j = record->charged_j * (i ? 0.25 : 0.75);
        channel->in_total = true;
    }
}

/* A record of job `id`; what belongs to the whole job is taken from `job`. */
static void made_record(struct made_jobs *made,
                        struct wtl_job_record *record,
                        const struct wtl_job_record *job,
                        int node,
                        const char *step)
{
    *record = *job;
    (void)snprintf(record->node, sizeof record->node, "n%d", node);
    (void)snprintf(record->boot_id, sizeof record->boot_id, "b%d", node);
    (void)snprintf(record->step, sizeof record->step, "%s", step);
    record->end_ns += made_one_of(made, 2000000000);
    record->elapsed_ns = record->end_ns - record->begin_ns;
    record->cpu_s = made_random(made) < 0.1 ? NAN : (double)made_one_of(made, 100000);
    record->max_rss_bytes = made_random(made) < 0.1 ? -1 : made_one_of(made, 1000000000);
    record->max_rss_task = record->max_rss_bytes < 0 ? -1 : node;
    record->lower_bound = made_random(made) < 0.05;
    if (made_random(made) < 0.07) {
        (void)wtl_job_text_set(record->problem, sizeof record->problem, "no sensor");
        return;
    }
    record->energy_j = 200 * 1e-9 * (double)record->elapsed_ns * made_random(made);
    record->charged_j = record->energy_j * made_random(made);
    record->idle_j = record->energy_j - record->charged_j;
    record->unattributed_j = 0;
    record->simulated = made_random(made) < 0.01;
    (void)wtl_job_text_set(record->quality, sizeof record->quality, "measured");
    (void)wtl_job_text_set(record->rule, sizeof record->rule,
                           made_random(made) < 0.5 ? "exclusive" : "calibrated");
    made_channels(record);
}

static void made_job(struct made_jobs *made, struct wtl_job_record *job, size_t id, bool other)
{
    int64_t user = made_one_of(made, 5);
    wtl_job_record_init(job);
    (void)snprintf(job->cluster, sizeof job->cluster, "c%d", other ? 2 : (int)made_one_of(made, 2));
    (void)snprintf(job->unit, sizeof job->unit, "%zu.1700000000.0", id);
    (void)snprintf(job->job_id, sizeof job->job_id, "%zu", id);
    (void)snprintf(job->user, sizeof job->user, "user%d", (int)user);
    (void)snprintf(job->account, sizeof job->account, "account%d", (int)made_one_of(made, 3));
    (void)snprintf(job->partition, sizeof job->partition, "p%d", (int)made_one_of(made, 2));
    (void)snprintf(job->name, sizeof job->name, "program%d", (int)made_one_of(made, 7));
    job->kind = made_random(made) < 0.9 ? WTL_JOB_SLURM : WTL_JOB_RUN;
    job->raw_job_id = id;
    job->uid = 1000 + user;
    job->begin_ns = MADE_START_NS + made_one_of(made, MADE_DAYS * INT64_C(86400000000000));
    job->submit_ns = job->begin_ns - 5000000000;
    /* Most are short, some take days. */
    job->end_ns = job->begin_ns + (int64_t)(1e9 * exp(made_random(made) * 13.5));
    job->state = made_random(made) < 0.95 ? WTL_JOB_ENDED : WTL_JOB_CUT;
    job->exit_status = made_random(made) < 0.9 ? 0 : 1;
    job->cpus = 4;
    job->nodes = made_random(made) < 0.7 ? 1 : 1 + made_one_of(made, 4);
}

/* About 1.7 records per job. */
static struct made_jobs made_jobs(size_t jobs)
{
    struct made_jobs made = {calloc(jobs * 12, sizeof *made.list), 0, 0};
    if (!made.list)
        abort();
    for (size_t id = 1; id <= jobs; id++) {
        struct wtl_job_record job;
        /* Now and then the id of the job before, on another cluster. */
        made_job(&made, &job, id % 50 == 0 ? id - 1 : id, id % 50 == 0);
        int64_t first = made_one_of(&made, MADE_NODES),
                seen = made_random(&made) < 0.05 ? job.nodes - 1 : job.nodes;
        for (int64_t i = 0; i < seen; i++) {
            int node = (int)((first + i) % MADE_NODES);
            made_record(&made, &made.list[made.count++], &job, node, "");
            if (made_random(&made) < 0.3)
                made_record(&made, &made.list[made.count++], &job, node, "0");
        }
    }
    return made;
}

static void made_free(struct made_jobs *made)
{
    for (size_t i = 0; i < made->count; i++)
        wtl_job_record_fini(&made->list[i]);
    free(made->list);
}

#endif
