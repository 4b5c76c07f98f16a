/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of jobs, one for each node and step, and the printed forms of "wattle jobs show": text, JSON
 * "wattle.jobs-show/1", CSV. */
#ifndef WTL_CLI_JOBS_RECORDS_H
#define WTL_CLI_JOBS_RECORDS_H

#include "cli/jobs/jobs_items.h"

struct wtl_jobs_record {
    struct wtl_job_record record; /* its channels are owned */
    const char *state;
};

struct wtl_jobs_show {
    struct wtl_jobs_list jobs;
    struct wtl_jobs_record *records;
    size_t count;
};

/* For wtl_store_records(): append a copy; -ENOMEM. */
int wtl_jobs_show_take(void *show, const struct wtl_job_record *record);
void wtl_jobs_show_fini(struct wtl_jobs_show *show);

/* 0 or -ENOMEM. */
int wtl_jobs_show_print(const struct wtl_jobs_show *show, enum wtl_format format, FILE *out);

#endif
