/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of sacct beside each other, and beside those of a database: see sacct_survey.h. In memory: some bytes of each job, and of each
 * node of each. */
#include "jobs/sacct_survey.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/host_list.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/whole.h"

enum { NODES_MAX = 100000, FEWEST_JOBS = 20 };

static const double UNUSUAL_FACTOR = 10, LEAST_S = 60;
static const int64_t TOLERANCE_NS = INT64_C(1000000000); /* sacct's times are whole seconds */
/* Prolog and epilog of wattled's ledger are before and after. */
static const int64_t LEDGER_NS = INT64_C(5000000000);

struct job {
    uint64_t id, unit, cluster, partition; /* hashes; id: its number, cluster: 0 = none */
    int64_t begin_ns, end_ns;
    double watts;                /* per node; NaN = not believed, or too short */
    enum wtl_sacct_doubt *doubt; /* known at the end */
    int64_t slack_ns;            /* how far its end may be late */
    bool is_job;                 /* it is recorded, or will be */
    char *name; /* imported, in the database, with an energy: "CLUSTER", NUL, "UNIT"; owned */
};

/* A job on one of its nodes. */
struct stay {
    uint64_t node, cluster;
    int64_t begin_ns;
    size_t job;
};

/* Jobs of sacct, then those of the database. */
struct wtl_sacct_survey {
    const char *cluster;
    struct job *jobs;
    size_t count, of_sacct;
    struct stay *stays;
    size_t stay_count;
    bool no_cluster;              /* some rows have none */
    enum wtl_sacct_doubt *doubts; /* of the jobs */
    bool *known;
    struct wtl_sacct_shared *shared;
    size_t shared_count;
};

int wtl_sacct_survey_create(const char *cluster, struct wtl_sacct_survey **ret_survey)
{
    *ret_survey = calloc(1, sizeof **ret_survey);
    if (!*ret_survey)
        return -ENOMEM;
    (*ret_survey)->cluster = cluster;
    return 0;
}

void wtl_sacct_survey_destroy(struct wtl_sacct_survey *survey)
{
    if (!survey)
        return;
    for (size_t i = 0; i < survey->count; i++)
        free(survey->jobs[i].name);
    free(survey->jobs);
    free(survey->stays);
    free(survey->doubts);
    free(survey->known);
    free(survey->shared);
    free(survey);
}

static uint64_t hash_cluster(const char *cluster)
{
    return cluster[0] ? wtl_hash_text(cluster) : 0;
}

/* Slurm's number, or the id as typed if that is unknown. */
static uint64_t hash_id(uint64_t raw, const char *job_id)
{
    const uint64_t is_text = UINT64_C(1) << 63;
    return raw > 0 || wtl_parse_u64(job_id, &raw) == 0 ? raw & ~is_text
                                                       : wtl_hash_text(job_id) | is_text;
}

static int add_stays(struct wtl_sacct_survey *survey, const char *nodes, size_t number)
{
    const struct job *job = &survey->jobs[number];
    char **names = NULL;
    size_t n = 0;
    bool readable = nodes[0] && wtl_host_list_is_valid(nodes) && !strpbrk(nodes, "*?");
    int rc = readable ? wtl_host_list_expand(nodes, NODES_MAX, &names, &n) : 0;
    for (size_t i = 0; i < n; i++) {
        if (rc == 0)
            rc = wtl_grow(&survey->stays, survey->stay_count, sizeof *survey->stays);
        if (rc == 0)
            survey->stays[survey->stay_count++] =
                (struct stay){wtl_hash_text(names[i]), job->cluster, job->begin_ns, number};
        free(names[i]);
    }
    free(names);
    return rc;
}

/* The last of the jobs, on its nodes. */
static int finish_job(struct wtl_sacct_survey *survey, const char *nodes)
{
    const struct job *job = &survey->jobs[survey->count];
    survey->no_cluster |= job->cluster == 0;
    int rc = job->begin_ns > 0 && job->end_ns - TOLERANCE_NS > job->begin_ns
                 ? add_stays(survey, nodes, survey->count)
                 : 0;
    survey->count++;
    return rc;
}

int wtl_sacct_survey_take(void *arg, const struct wtl_sacct_job *of)
{
    struct wtl_sacct_survey *survey = arg;
    const struct wtl_job_record *row = of->row;
    if (wtl_grow(&survey->jobs, survey->count, sizeof *survey->jobs) < 0)
        return -ENOMEM;
    struct job *job = &survey->jobs[survey->count];
    double elapsed_s = 1e-9 * (double)row->elapsed_ns;
    bool running = of->doubt == WTL_SACCT_STATE && row->end_ns < row->begin_ns;
    const char *cluster = row->cluster[0] ? row->cluster : survey->cluster;
    *job = (struct job){.id = hash_id(row->raw_job_id, row->job_id),
                        .unit = wtl_hash_text(row->unit),
                        .cluster = hash_cluster(cluster),
                        .partition = wtl_hash_bytes(wtl_hash_text(row->cluster), row->partition,
                                                    strlen(row->partition) + 1),
                        .begin_ns = row->begin_ns,
                        .end_ns = running ? INT64_MAX : row->end_ns,
                        .watts = (double)NAN,
                        .slack_ns = TOLERANCE_NS,
                        .is_job = of->record != NULL};
    if (of->doubt == WTL_SACCT_BELIEVED && elapsed_s >= LEAST_S)
        job->watts = row->charged_j / elapsed_s / (double)(row->nodes > 0 ? row->nodes : 1);
    int rc = finish_job(survey, of->node_list);
    survey->of_sacct = survey->count;
    return rc;
}

size_t wtl_sacct_survey_count(const struct wtl_sacct_survey *survey)
{
    return survey->count;
}

bool wtl_sacct_survey_time(const struct wtl_sacct_survey *survey,
                           int64_t *ret_from_ns,
                           int64_t *ret_to_ns)
{
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (size_t i = 0; i < survey->of_sacct; i++) {
        const struct job *job = &survey->jobs[i];
        if (!job->is_job)
            continue;
        from = job->begin_ns < from ? job->begin_ns : from;
        to = job->end_ns > to ? job->end_ns : to;
    }
    if (from > to)
        return false;
    *ret_from_ns = from - LEDGER_NS;
    *ret_to_ns = to + LEDGER_NS;
    return true;
}

int wtl_sacct_survey_know(struct wtl_sacct_survey *survey, const struct wtl_sacct_known *of)
{
    if (wtl_grow(&survey->jobs, survey->count, sizeof *survey->jobs) < 0)
        return -ENOMEM;
    struct job *job = &survey->jobs[survey->count];
    const size_t n = strlen(of->cluster) + 1, size = n + strlen(of->unit) + 1;
    const bool named = of->is_imported && of->has_energy;
    *job = (struct job){.id = hash_id(of->raw_job_id, of->job_id),
                        .unit = wtl_hash_text(of->unit),
                        .cluster = hash_cluster(of->cluster),
                        .begin_ns = of->begin_ns,
                        .end_ns = of->end_ns,
                        .watts = (double)NAN,
                        .slack_ns = of->is_imported ? TOLERANCE_NS : LEDGER_NS,
                        .is_job = true,
                        .name = named ? malloc(size) : NULL};
    if (named && !job->name)
        return -ENOMEM;
    if (named) {
        memcpy(job->name, of->cluster, n);
        memcpy(job->name + n, of->unit, size - n);
    }
    return finish_job(survey, of->had_nodes && of->begin_ns > 0 ? of->node : "");
}

/* ---- jobs that are known already ---- */

static int by_id(const void *a, const void *b)
{
    const struct job *x = *(struct job *const *)a, *y = *(struct job *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The same number at the same time: what else is different, such as the unit, depends on who recorded it. */
static bool is_same(const struct job *a, const struct job *b)
{
    return a->id == b->id && (a->cluster == b->cluster || a->cluster == 0 || b->cluster == 0) &&
           a->begin_ns <= b->end_ns + LEDGER_NS && b->begin_ns <= a->end_ns + LEDGER_NS;
}

/* `ordered`: those of the database, by number. That one of two shared its nodes is true of the other. */
static void match(struct wtl_sacct_survey *survey, struct job **ordered, size_t n)
{
    for (size_t i = 0; i < survey->of_sacct; i++) {
        struct job *job = &survey->jobs[i];
        size_t low = 0, high = n;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (ordered[middle]->id < job->id)
                low = middle + 1;
            else
                high = middle;
        }
        for (; job->is_job && low < n && ordered[low]->id == job->id; low++) {
            if (!is_same(job, ordered[low]))
                continue;
            survey->known[i] = true;
            if (*job->doubt == WTL_SACCT_SHARED || *ordered[low]->doubt == WTL_SACCT_SHARED)
                *job->doubt = *ordered[low]->doubt = WTL_SACCT_SHARED;
        }
    }
}

/* ---- nodes that overlap ---- */

static int by_node_then_begin(const void *a, const void *b)
{
    const struct stay *x = a, *y = b;
    int order = (x->node > y->node) - (x->node < y->node);
    order = order ? order : (x->cluster > y->cluster) - (x->cluster < y->cluster);
    order = order ? order : (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
    return order ? order : (x->job > y->job) - (x->job < y->job);
}

/* In the order of their begins, a job overlaps an earlier one if it overlaps the one of these that ends last. */
static void find_overlaps(struct wtl_sacct_survey *survey)
{
    const struct stay *last = NULL;
    for (size_t i = 0; survey->no_cluster && i < survey->stay_count; i++)
        survey->stays[i].cluster = 0;
    wtl_sort(survey->stays, survey->stay_count, sizeof *survey->stays, by_node_then_begin);
    for (size_t i = 0; i < survey->stay_count; i++) {
        const struct stay *stay = &survey->stays[i];
        struct job *job = &survey->jobs[stay->job];
        bool here = last && last->node == stay->node && last->cluster == stay->cluster;
        struct job *before = here ? &survey->jobs[last->job] : NULL;
        bool same = before && (before->unit == job->unit || is_same(before, job)); /* twice */
        if (before && !same && before->end_ns - before->slack_ns > job->begin_ns)
            *before->doubt = *job->doubt = WTL_SACCT_SHARED;
        if (!before || job->end_ns > before->end_ns)
            last = stay;
    }
}

/* ---- the site's own jobs ---- */

static int by_partition_then_watts(const void *a, const void *b)
{
    const struct job *x = *(struct job *const *)a, *y = *(struct job *const *)b;
    int order = (x->partition > y->partition) - (x->partition < y->partition);
    return order ? order : (x->watts > y->watts) - (x->watts < y->watts);
}

static void find_unusual(struct job **jobs, size_t n)
{
    double median = jobs[n / 2]->watts;
    for (size_t i = 0; i < n && n >= FEWEST_JOBS; i++) {
        double ratio = jobs[i]->watts / median;
        if (ratio > UNUSUAL_FACTOR || ratio < 1 / UNUSUAL_FACTOR)
            *jobs[i]->doubt = WTL_SACCT_UNUSUAL;
    }
}

static void find_unusual_ones(struct wtl_sacct_survey *survey, struct job **ordered)
{
    size_t n = 0, first = 0;
    for (size_t i = 0; i < survey->of_sacct; i++) {
        if (!isnan(survey->jobs[i].watts) && survey->doubts[i] == WTL_SACCT_BELIEVED)
            ordered[n++] = &survey->jobs[i];
    }
    wtl_sort(ordered, n, sizeof(struct job *), by_partition_then_watts);
    for (size_t i = 1; i <= n; i++) {
        if (i < n && ordered[i]->partition == ordered[first]->partition)
            continue;
        find_unusual(ordered + first, i - first);
        first = i;
    }
}

static int list_shared(struct wtl_sacct_survey *survey)
{
    for (size_t i = survey->of_sacct; i < survey->count; i++) {
        const struct job *job = &survey->jobs[i];
        if (!job->name || *job->doubt != WTL_SACCT_SHARED)
            continue;
        if (wtl_grow(&survey->shared, survey->shared_count, sizeof *survey->shared) < 0)
            return -ENOMEM;
        survey->shared[survey->shared_count++] =
            (struct wtl_sacct_shared){job->name, job->name + strlen(job->name) + 1};
    }
    return 0;
}

int wtl_sacct_survey_end(struct wtl_sacct_survey *survey, struct wtl_sacct_found *ret_found)
{
    const size_t others = survey->count - survey->of_sacct;
    struct job **ordered = malloc((survey->count + 1) * sizeof(struct job *));
    survey->doubts = calloc(survey->count + 1, sizeof *survey->doubts);
    survey->known = calloc(survey->of_sacct + 1, sizeof *survey->known);
    if (!ordered || !survey->doubts || !survey->known) {
        free(ordered);
        return -ENOMEM;
    }
    for (size_t i = 0; i < survey->count; i++)
        survey->jobs[i].doubt = &survey->doubts[i];
    find_overlaps(survey);
    for (size_t i = 0; i < others; i++)
        ordered[i] = &survey->jobs[survey->of_sacct + i];
    wtl_sort(ordered, others, sizeof(struct job *), by_id);
    match(survey, ordered, others);
    find_unusual_ones(survey, ordered);
    free(ordered);
    if (list_shared(survey) < 0)
        return -ENOMEM;
    *ret_found = (struct wtl_sacct_found){.doubts = survey->doubts,
                                          .known = survey->known,
                                          .count = survey->of_sacct,
                                          .shared = survey->shared,
                                          .shared_count = survey->shared_count};
    return 0;
}
