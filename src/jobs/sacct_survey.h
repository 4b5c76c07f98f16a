/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sacct's rows say of each other, which no row says by itself. Two passes: the first gives all jobs to the survey, the second
 * uses what it found.
 *
 *     nodes that overlap      Slurm charges each job with all that its nodes used: of two that shared one, the energy counts twice
 *     the site's own jobs     ten times the median of 20 or more of its partition, or a tenth: doubted, and recorded as it is
 */
#ifndef WTL_JOBS_SACCT_SURVEY_H
#define WTL_JOBS_SACCT_SURVEY_H

#include "jobs/sacct.h"

struct wtl_sacct_survey;

/* 0 or -ENOMEM; destroy accepts NULL. */
int wtl_sacct_survey_create(struct wtl_sacct_survey **ret_survey);
void wtl_sacct_survey_destroy(struct wtl_sacct_survey *survey);

/* A wtl_sacct_take_fn: the next job. 0 or -ENOMEM. */
int wtl_sacct_survey_take(void *survey, const struct wtl_sacct_job *job);

/* All are known: of each job BELIEVED, SHARED or UNUSUAL, for wtl_sacct_use(); borrowed. 0 or -ENOMEM. */
int wtl_sacct_survey_end(struct wtl_sacct_survey *survey,
                         const enum wtl_sacct_doubt **ret_doubts,
                         size_t *ret_count);

#endif
