/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of the database, and their printed forms: text, JSON "wattle.jobs-list/1", CSV. */
#ifndef WTL_CLI_JOBS_ITEMS_H
#define WTL_CLI_JOBS_ITEMS_H

#include <stdio.h>

#include "jobs/factors.h"
#include "jobs/store.h"
#include "report/noun.h"
#include "report/report.h"
#include "report/table.h"

/* What is printed of a sum, or of a job on several nodes: measured, estimated and simulated joules are never added. */
struct wtl_jobs_sum {
    double sum_j;               /* of all kinds: for an order, and to be added to; never printed */
    double charged_j;           /* the same if it is of one kind; else NaN */
    double measured_j;          /* of it; NaN = none */
    struct wtl_job_kinds kinds; /* NaN = none; low_j, high_j: also without an interval */
};

struct wtl_jobs_item {
    struct wtl_job_row row; /* its texts point into `text` */
    struct wtl_jobs_sum energy;
    double price, co2_g; /* of energy.charged_j; NaN = unknown */
    const char *kind, *state;
    char *text; /* owned */
};

struct wtl_jobs_list {
    struct wtl_jobs_item *items;
    size_t count, limit;    /* limit: 0 = all */
    bool more;              /* there are others beyond the limit */
    int64_t from_ns, to_ns; /* the period */
    const char *currency;   /* "" = unknown */
    const char *database;   /* its name */
    const struct wtl_factors *factors;
};

/* For wtl_store_jobs(): append one; -ENOMEM. The query's limit should be one more than that of the list. */
int wtl_jobs_list_take(void *list, const struct wtl_job_row *row);
void wtl_jobs_list_fini(struct wtl_jobs_list *list);

/* 0 or -ENOMEM. */
int wtl_jobs_list_print(const struct wtl_jobs_list *list, enum wtl_format format, FILE *out);

/* The notes below a table of jobs: what its words mean, as far as it has them. */
void wtl_jobs_list_notes(const struct wtl_jobs_list *list, FILE *out);

/* ---- cells that several tables have; each writes into text and returns it ---- */

enum { WTL_JOBS_CELL = 128 };

/* "at least 1.23 MJ", "420 J +- 390", "unknown": a half width that the three digits would hide is printed; of a lower bound, the lower end
 * of its interval. resolution_j NaN: it is not told. */
char *wtl_jobs_energy_cell(double joules, double resolution_j, bool lower, char *text, size_t n);
/* The same of what should have an interval: "420 J +- ?" where it is unknown, "420 J +- ?, incomplete" where a part is missing, too. */
char *wtl_jobs_interval_cell(double joules, double half_j, bool lower, char *text, size_t n);
/* "5.3 J (2.1..31) estimated". low_j, high_j: the interval of its model, the same or NaN: unknown; then half_j is printed. */
struct wtl_jobs_estimate {
    double j, half_j, low_j, high_j;
    bool lower;
};
char *wtl_jobs_estimate_cell(const struct wtl_jobs_estimate *of, char *text, size_t n);
/* A sum of jobs: kinds are not added but listed: "1.23 kJ + 5.3 J (2.1..31) estimated". */
char *wtl_jobs_kinds_cell(double joules,
                          const struct wtl_job_kinds *kinds,
                          bool lower,
                          char *text,
                          size_t n);
/* Is the sum of more than one kind, and so none? */
bool wtl_jobs_is_mixed(double joules, const struct wtl_job_kinds *kinds);
struct wtl_jobs_sum wtl_jobs_sum_of(double joules, const struct wtl_job_kinds *kinds);
/* Half width of the interval of a sum of one kind; NaN = unknown. */
double wtl_jobs_sum_half_j(const struct wtl_job_kinds *of_sum);
/* In kWh, with the digits that half a width of so many joules leaves. */
char *wtl_jobs_kwh_cell(double joules, double half_j, bool lower, char *text, size_t n);
/* What an energy is worth: "measured", "estimated, simulated". */
const char *wtl_jobs_quality(const char *quality, bool simulated);
/* "12.3 s", "1:02:03", "2-03:04:05"; "-" for NaN. */
char *wtl_jobs_elapsed_cell(double seconds, char *text, size_t n);
/* 12.34: a price, or grams as kg, of an energy that is a lower bound or not. NaN: "-". */
char *wtl_jobs_price_cell(double price, bool lower, char *text, size_t n);
char *wtl_jobs_co2_cell(double grams, bool lower, char *text, size_t n);

/* Does Slurm say that it has not completed: cancelled, failed, out of time? */
bool wtl_jobs_ended_badly(const struct wtl_job_row *row);

/* What a job is charged, with its interval. */
char *wtl_jobs_row_energy(const struct wtl_job_row *row, char *text, size_t n);

/* Members at `offset`: a time (0 = unknown) or duration (negative = unknown) in ns, in seconds; an int64_t that is unknown below 0 or
 * below 1. */
wtl_member_get wtl_jobs_get_time, wtl_jobs_get_duration, wtl_jobs_get_from_0, wtl_jobs_get_from_1;

/* Is the energy a share of that of the node? */
bool wtl_jobs_is_share(const char *rule);

/* The factors' values of an energy at a time. */
static inline double wtl_jobs_price(const struct wtl_factor *factor, double joules)
{
    return joules / 3.6e6 * factor->price_per_kwh;
}

static inline double wtl_jobs_co2(const struct wtl_factor *factor, double joules)
{
    return joules / 3.6e6 * factor->co2_g_per_kwh;
}

/* The notes of what is not measured; mixed: and of the kinds that are not added. */
void wtl_jobs_kinds_notes(bool simulated, bool estimated, bool mixed, FILE *out);

/* The notes below a table of sums: `lower` = something in it is not measured; `partial` = jobs of others are not shown. */
void wtl_jobs_sum_notes(bool lower, bool partial, FILE *out);

/* "WHAT from 2026-11-01 00:00:00 to 2026-11-26 10:00:00", without a line break. */
void wtl_jobs_period_print(const char *what, int64_t from_ns, int64_t to_ns, FILE *out);

/* Print a table of a noun's rows, and `last` (NULL = none) as their sum, without the columns that are empty or "-" in all of them.
 * first: heading of the first column; NULL = the noun's. 0 or -ENOMEM. */
int wtl_jobs_table_print(const struct wtl_noun *noun,
                         const void *items,
                         size_t count,
                         size_t size,
                         const void *last,
                         const char *first,
                         FILE *out);

#endif
