/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs of the database beside their rows in Slurm's accounting. There is no queue: what is to be written is what differs, so
 * that a run after an outage, or a second one, does what is left and nothing twice.
 */
#ifndef WTL_CLI_JOBS_POSTING_H
#define WTL_CLI_JOBS_POSTING_H

#include <stdio.h>

#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/slurm_program.h"
#include "jobs/slurm_post.h"

enum wtl_posting_what {
    WTL_POSTING_SAME,      /* Slurm has the ledger's energy */
    WTL_POSTING_DIFFERS,   /* it has another one */
    WTL_POSTING_MISSING,   /* it has none */
    WTL_POSTING_POSTED,    /* written, and read back */
    WTL_POSTING_FAILED,    /* written, but Slurm does not have it */
    WTL_POSTING_NOT_FINAL, /* not ended in Slurm's accounting */
    WTL_POSTING_ABSENT,    /* not in it */
    WTL_POSTING_UNKNOWN,   /* the ledger does not know all of its energy */
    WTL_POSTING_SIMULATED,
    WTL_POSTING_SMALL, /* less than half a joule, which would look like no sensor */
    WTL_POSTING_NO_ID, /* no id that means this job alone */
    WTL_POSTING_TAKEN, /* AdminComment has another text */
    WTL_POSTING_WHATS
};

struct wtl_posting {
    const char *job_id, *unit, *cluster, *user; /* borrowed from the list of jobs */
    uint64_t raw_id;
    int64_t submit_s, begin_s, end_s, joules;
    int64_t start_s, newest_s; /* of Slurm's row, and of its newest with this number */
    double charged_j, slurm_j; /* NaN = unknown */
    char quality[16];
    enum wtl_posting_what what;
    bool found;
    char typed_id[64], sluid[40]; /* of Slurm's row */
};

struct wtl_postings {
    struct wtl_posting *items;
    size_t count;
    struct wtl_slurm_version version;
    bool by_comment; /* AdminComment instead of the energy */
    bool simulated_too;
    size_t counts[WTL_POSTING_WHATS];
    bool details; /* print all rows */
    const char *how;
    struct wtl_posting *shown;
    size_t shown_count;
};

struct wtl_jobs_list;

/* What is known of each job, before Slurm is asked. 0 or -ENOMEM. */
int wtl_postings_init(struct wtl_postings *postings, const struct wtl_jobs_list *jobs);
void wtl_postings_fini(struct wtl_postings *postings);

/* Read Slurm's rows of those that could be posted, and compare. 0, or as wtl_slurm_run(). */
int wtl_postings_read(struct wtl_postings *postings, const char *cluster, struct wattle_error *err);

/* Write those that differ or are missing, then read them back. With dry_run print the commands instead. */
int wtl_postings_write(struct wtl_postings *postings,
                       const char *cluster,
                       FILE *dry_run,
                       struct wattle_error *err);

/* A table of those that are not the same, or of all. 0 or -ENOMEM. */
int wtl_postings_print(struct wtl_postings *postings,
                       const char *schema,
                       enum wtl_format format,
                       FILE *out);

/* For both actions: read the query's jobs, compare with Slurm, `act` (NULL = nothing), print. Returns the exit status. */
int wtl_postings_run(const struct wtl_command *command,
                     const struct wtl_jobs_filter *filter,
                     struct wtl_postings *postings,
                     bool write,
                     bool dry_run);

#endif
