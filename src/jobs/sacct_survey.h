/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sacct's rows say of each other, and of jobs that a database holds, which no row says by itself. Two passes: the first gives all
 * jobs to the survey, then those of the database, and the second uses what it found.
 *
 *     nodes that overlap      Slurm charges each job with all that its nodes used: of two that shared one, the energy counts twice
 *     the site's own jobs     ten times the median of 20 or more of its partition, or a tenth: doubted, and recorded as it is
 *     known already           a job of the same number at the same time, such as one that wattled's ledger has recorded: not another one
 */
#ifndef WTL_JOBS_SACCT_SURVEY_H
#define WTL_JOBS_SACCT_SURVEY_H

#include "jobs/sacct.h"

struct wtl_sacct_survey;

/* cluster: of rows without one, and that the survey borrows; "" = none: nodes are then told apart by their names alone. 0 or -ENOMEM;
 * destroy accepts NULL. */
int wtl_sacct_survey_create(const char *cluster, struct wtl_sacct_survey **ret_survey);
void wtl_sacct_survey_destroy(struct wtl_sacct_survey *survey);

/* A wtl_sacct_take_fn: the next job. 0 or -ENOMEM. */
int wtl_sacct_survey_take(void *survey, const struct wtl_sacct_job *job);

/* How many there are so far. */
size_t wtl_sacct_survey_count(const struct wtl_sacct_survey *survey);
/* The time of all of them, a little longer: what a database knows of it is of interest. false: there are none. */
bool wtl_sacct_survey_time(const struct wtl_sacct_survey *survey,
                           int64_t *ret_from_ns,
                           int64_t *ret_to_ns);

/* A record of a job of the database, on one node or a list of them. */
struct wtl_sacct_known {
    const char *cluster, *unit, *job_id, *node;
    uint64_t raw_job_id;      /* 0 = unknown */
    int64_t begin_ns, end_ns; /* 0 = unknown */
    bool
        had_nodes; /* the job had its node, alone or shared with other jobs; not a run within a job */
    bool is_imported; /* from sacct, */
    bool has_energy;  /* which is then that of all jobs of its nodes */
};
/* One more; all after the last wtl_sacct_survey_take(). 0 or -ENOMEM. */
int wtl_sacct_survey_know(struct wtl_sacct_survey *survey, const struct wtl_sacct_known *known);

/* What it found; borrowed. */
struct wtl_sacct_found {
    const enum wtl_sacct_doubt
        *doubts;       /* of each job of sacct BELIEVED, SHARED or UNUSUAL, for wtl_sacct_use() */
    const bool *known; /* is it known already? */
    size_t count;
    const struct wtl_sacct_shared {
        const char *cluster, *unit;
    } * shared; /* imported jobs of the database that shared their nodes with others */
    size_t shared_count;
};

/* All are known. 0 or -ENOMEM. */
int wtl_sacct_survey_end(struct wtl_sacct_survey *survey, struct wtl_sacct_found *ret_found);

#endif
