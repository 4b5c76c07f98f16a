/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs as "sacct --parsable2" prints them, and what can be believed of their energy. The first line names the columns, in any
 * order; JobName should be the last one, since names may contain "|". A job's row is followed by those of its steps. All rules
 * about sacct's energy are here:
 *
 *     empty                   no energy plugin, or it had no value
 *     0                       cannot be told from a node without a sensor: unknown
 *     18446744073709551614    Slurm's "no value"
 *     1.23K                   1230 J, known to three digits: units of energy are powers of 1000, those of memory of 1024
 *     more than 100 kW/node   a counter that overflowed; over a minute and longer, 18 kW: no node draws more
 *     less than 2 W/node      over a minute and longer: a sensor that stood still, or of a part
 *     nodes shared in time    each job has all that its nodes used: sacct_survey.h, which sees all jobs
 *     unlike the site's jobs  likewise
 *     sum of its steps        without PrologFlags=Contain; steps that ran side by side are then counted twice
 *     less than a step of it  part of the job is missing
 *     empty, steps are not    .extern has the whole job, if Slurm made one; else the largest step is a lower bound
 *     NODE_FAIL               the last values of the lost node are missing: a lower bound
 *
 *     struct wtl_sacct *sacct;
 *     wtl_sacct_create(take, arg, &sacct);
 *     wtl_sacct_line(sacct, line, n, err) ...       each line
 *     wtl_sacct_end(sacct, err);                     the last job
 *     wtl_sacct_destroy(sacct);
 */
#ifndef WTL_JOBS_SACCT_H
#define WTL_JOBS_SACCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "jobs/record.h"

enum wtl_sacct_doubt {
    WTL_SACCT_BELIEVED,
    /* The job is left out: */
    WTL_SACCT_ROW,     /* not a row of these columns */
    WTL_SACCT_ID,      /* cut off, or none */
    WTL_SACCT_STATE,   /* not final */
    WTL_SACCT_NOT_RUN, /* never began */
    WTL_SACCT_TIMES,   /* ends before it begins, or unknown */
    WTL_SACCT_ORPHAN,  /* a step without its job */
    /* Its energy is unknown: */
    WTL_SACCT_EMPTY,
    WTL_SACCT_ZERO,
    WTL_SACCT_NO_VALUE,
    WTL_SACCT_NOT_A_NUMBER,
    WTL_SACCT_OVERFLOW,
    WTL_SACCT_TOO_MUCH,
    WTL_SACCT_TOO_LITTLE,
    WTL_SACCT_SHARED,
    WTL_SACCT_TWICE,
    WTL_SACCT_LESS_THAN_STEP,
    /* A lower bound: */
    WTL_SACCT_LARGEST_STEP,
    WTL_SACCT_NODE_FAIL,
    /* The row of .extern instead of its own: */
    WTL_SACCT_EXTERN,
    /* Recorded as it is: */
    WTL_SACCT_UNUSUAL,
    WTL_SACCT_DOUBTS
};

/* One sentence, without a full stop. */
const char *wtl_sacct_doubt_text(enum wtl_sacct_doubt doubt);
/* Is the job left out, or its energy unknown, for this reason? */
static inline bool wtl_sacct_drops_job(enum wtl_sacct_doubt doubt)
{
    return doubt >= WTL_SACCT_ROW && doubt <= WTL_SACCT_ORPHAN;
}
static inline bool wtl_sacct_drops_energy(enum wtl_sacct_doubt doubt)
{
    return doubt >= WTL_SACCT_EMPTY && doubt <= WTL_SACCT_LESS_THAN_STEP;
}

struct wtl_sacct_job {
    size_t line; /* of its row */
    enum wtl_sacct_doubt doubt;
    const char *id, *energy;             /* as printed; "" = empty */
    const struct wtl_job_record *record; /* NULL if the job is left out */
    const struct wtl_job_record *row;    /* its row also then, as far as it can be read */
    const char *node_list;               /* whole; "" = none */
};

/* 0 to go on; other values stop and are returned. */
typedef int wtl_sacct_take_fn(void *arg, const struct wtl_sacct_job *job);

struct wtl_sacct;
int wtl_sacct_create(wtl_sacct_take_fn *take, void *arg, struct wtl_sacct **ret_sacct);
void wtl_sacct_destroy(struct wtl_sacct *sacct); /* accepts NULL */

/* What others say of each job, by its number, such as a first pass over the same lines (sacct_survey.h); it must outlive it. */
void wtl_sacct_use(struct wtl_sacct *sacct, const enum wtl_sacct_doubt *others, size_t count);

/* A line of n bytes without its line break. 0; -EBADMSG with a sentence: the first line does not name the columns that are needed. */
int wtl_sacct_line(struct wtl_sacct *sacct, const char *line, size_t n, struct wattle_error *err);
int wtl_sacct_end(struct wtl_sacct *sacct, struct wattle_error *err);

/* The columns to ask sacct for, separated by commas; `sluid`: it has that (25.11 and newer). */
const char *wtl_sacct_columns(bool sluid);

/* Is it a state that a job does not leave? "CANCELLED by 0". */
bool wtl_sacct_is_final(const char *state);

/* An energy as printed: BELIEVED, EMPTY, ZERO, NO_VALUE, NOT_A_NUMBER or OVERFLOW. half_j: what its digits leave open. */
enum wtl_sacct_doubt wtl_sacct_energy(const char *text, double *ret_j, double *ret_half_j);

#endif
