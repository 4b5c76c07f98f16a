/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of sacct beside each other: see sacct_survey.h. In memory: a few bytes of each job, and of each node of each. */
#include "jobs/sacct_survey.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/host_list.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/whole.h"

enum { NODES_MAX = 100000, FEWEST_JOBS = 20 };

static const double UNUSUAL_FACTOR = 10, LEAST_S = 60;
static const int64_t TOLERANCE_NS = INT64_C(1000000000); /* sacct's times are whole seconds */

struct job {
    uint64_t unit, partition; /* hashes */
    int64_t begin_ns, end_ns;
    double watts;                /* per node; NaN = not believed, or too short */
    enum wtl_sacct_doubt *doubt; /* known at the end */
};

/* A job on one of its nodes. */
struct stay {
    uint64_t node;
    int64_t begin_ns;
    size_t job;
};

struct wtl_sacct_survey {
    struct job *jobs;
    size_t count;
    struct stay *stays;
    size_t stay_count;
    enum wtl_sacct_doubt *doubts; /* of the jobs */
};

int wtl_sacct_survey_create(struct wtl_sacct_survey **ret_survey)
{
    *ret_survey = calloc(1, sizeof **ret_survey);
    return *ret_survey ? 0 : -ENOMEM;
}

void wtl_sacct_survey_destroy(struct wtl_sacct_survey *survey)
{
    if (!survey)
        return;
    free(survey->jobs);
    free(survey->stays);
    free(survey->doubts);
    free(survey);
}

static int add_stays(struct wtl_sacct_survey *survey, const struct wtl_sacct_job *of, size_t number)
{
    char **names = NULL;
    size_t n = 0;
    int rc = of->node_list[0] ? wtl_host_list_expand(of->node_list, NODES_MAX, &names, &n) : 0;
    for (size_t i = 0; i < n; i++) {
        if (rc == 0)
            rc = wtl_grow(&survey->stays, survey->stay_count, sizeof *survey->stays);
        if (rc == 0)
            survey->stays[survey->stay_count++] = (struct stay){
                wtl_hash_bytes(wtl_hash_text(of->row->cluster), names[i], strlen(names[i]) + 1),
                of->row->begin_ns, number};
        free(names[i]);
    }
    free(names);
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
    *job = (struct job){.unit = wtl_hash_text(row->unit),
                        .partition = wtl_hash_bytes(wtl_hash_text(row->cluster), row->partition,
                                                    strlen(row->partition) + 1),
                        .begin_ns = row->begin_ns,
                        .end_ns = running ? INT64_MAX : row->end_ns,
                        .watts = (double)NAN};
    if (of->doubt == WTL_SACCT_BELIEVED && elapsed_s >= LEAST_S)
        job->watts = row->charged_j / elapsed_s / (double)(row->nodes > 0 ? row->nodes : 1);
    int rc = job->begin_ns > 0 && job->end_ns - TOLERANCE_NS > job->begin_ns
                 ? add_stays(survey, of, survey->count)
                 : 0;
    survey->count++;
    return rc;
}

/* ---- nodes that overlap ---- */

static int by_node_then_begin(const void *a, const void *b)
{
    const struct stay *x = a, *y = b;
    int order = (x->node > y->node) - (x->node < y->node);
    order = order ? order : (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
    return order ? order : (x->job > y->job) - (x->job < y->job);
}

/* In the order of their begins, a job overlaps an earlier one if it overlaps the one of these that ends last. */
static void find_overlaps(struct wtl_sacct_survey *survey)
{
    const struct stay *last = NULL;
    wtl_sort(survey->stays, survey->stay_count, sizeof *survey->stays, by_node_then_begin);
    for (size_t i = 0; i < survey->stay_count; i++) {
        const struct stay *stay = &survey->stays[i];
        struct job *job = &survey->jobs[stay->job];
        struct job *before = last && last->node == stay->node ? &survey->jobs[last->job] : NULL;
        bool same = before && before->unit == job->unit; /* listed twice */
        if (before && !same && before->end_ns - TOLERANCE_NS > job->begin_ns)
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

int wtl_sacct_survey_end(struct wtl_sacct_survey *survey,
                         const enum wtl_sacct_doubt **ret_doubts,
                         size_t *ret_count)
{
    struct job **known = malloc((survey->count + 1) * sizeof(struct job *));
    size_t n = 0, first = 0;
    survey->doubts = calloc(survey->count + 1, sizeof *survey->doubts);
    if (!known || !survey->doubts) {
        free(known);
        return -ENOMEM;
    }
    for (size_t i = 0; i < survey->count; i++)
        survey->jobs[i].doubt = &survey->doubts[i];
    find_overlaps(survey);
    for (size_t i = 0; i < survey->count; i++) {
        if (!isnan(survey->jobs[i].watts) && survey->doubts[i] == WTL_SACCT_BELIEVED)
            known[n++] = &survey->jobs[i];
    }
    wtl_sort(known, n, sizeof(struct job *), by_partition_then_watts);
    for (size_t i = 1; i <= n; i++) {
        if (i < n && known[i]->partition == known[first]->partition)
            continue;
        find_unusual(known + first, i - first);
        first = i;
    }
    free(known);
    *ret_doubts = survey->doubts;
    *ret_count = survey->count;
    return 0;
}
