/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of jobs by user, account and so on, and their printed forms: text, JSON "wattle.jobs-report/1", CSV. */
#ifndef WTL_CLI_JOBS_TOTALS_H
#define WTL_CLI_JOBS_TOTALS_H

#include <stdio.h>

#include "jobs/factors.h"
#include "jobs/store.h"
#include "report/report.h"

/* One group: the sum of it over the periods of all factors. */
struct wtl_jobs_total {
    char *key;
    int64_t jobs, jobs_unknown, jobs_lower;
    double sum_j; /* of all kinds; NaN: no job's energy is known */
    double
        charged_j; /* the same if it is of one kind; else NaN: measured, estimated and simulated joules are not added */
    struct wtl_job_kinds kinds;
    double measured_j; /* of sum_j */
    double gpu_j;      /* of it: GPUs */
    double node_s, cpu_s;
    double price,
        co2_g; /* NaN = unknown; of the part whose factors are known: `priced` is false then */
    bool simulated, estimated, lower;
    bool partial; /* as of the totals */
    double part;  /* of all groups' energy; NaN = unknown */
};

struct wtl_jobs_totals {
    enum wtl_store_group group;
    const char *by; /* its word */
    struct wtl_jobs_total *items;
    size_t count, limit; /* limit: of the rows that are printed; 0 = all */
    size_t shown, left_out;
    struct wtl_jobs_total all;
    int64_t from_ns, to_ns;
    const char *currency;
    bool partial; /* jobs that the database does not show to who asks may be missing */
};

/* "user", "account", ..., NULL: in the order of enum wtl_store_group. */
extern const char *const wtl_jobs_group_names[];

/* Fill *ret_totals; wtl_jobs_totals_fini() in any case. */
int wtl_jobs_totals_read(struct wtl_jobs_totals *totals,
                         struct wtl_store *store,
                         const struct wtl_job_query *query,
                         const struct wtl_factors *factors,
                         struct wattle_error *err);
void wtl_jobs_totals_fini(struct wtl_jobs_totals *totals);

/* The total of a key, or NULL. */
const struct wtl_jobs_total *wtl_jobs_totals_find(const struct wtl_jobs_totals *totals,
                                                  const char *key);

/* 0 or -ENOMEM. */
int wtl_jobs_totals_print(const struct wtl_jobs_totals *totals, enum wtl_format format, FILE *out);

#endif
