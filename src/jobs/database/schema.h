/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables, as SQL of both engines. `job_node` has the records and is the truth; everything else follows from it
 * by triggers, and can be made again from it:
 *
 *     job            a row per job: sums over its nodes of the records without a step
 *     user_total     sums of jobs, per cluster, user, account, partition, kind, state
 *     program_total  the same, and per name
 *     name_total     per cluster, name, kind, state: far fewer rows, for who sees all users
 *     account_total  per cluster, account, kind, state, likewise
 *     site_total     per cluster, partition, kind, state
 *     node_total     sums of records, per cluster, node, kind, state
 *     node_user_total  likewise, and per user and account; not of single days
 *                    each for times of `days` = 1, 32 and 1024 days from `day` (since 1970, UTC)
 *     incoming, incoming_job  PostgreSQL: rows of a transaction that changes many; else empty
 *     sender         a row per node that sends; rows inserted into `heartbeat` become rows of it
 *     meta           version; writes_from = the oldest version that may still insert
 *     coordinator    PostgreSQL: who sees the rows of an account, filled by the site
 */
#ifndef WTL_JOBS_DATABASE_SCHEMA_H
#define WTL_JOBS_DATABASE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "jobs/field.h"

enum { WTL_SCHEMA_WRITES_FROM = 1 }; /* records of the version before are accepted */

/* What the indexes of seldom states and kinds have; a query that uses one must say the same. */
#define WTL_SCHEMA_SELDOM_STATE "state <> 'ended'"
#define WTL_SCHEMA_SELDOM_KIND  "kind <> 'slurm'"

#define WTL_SQL_DAY_NS "86400000000000"

/* Drop what follows from job_node: triggers, sums, indexes. */
void wtl_schema_drop(FILE *out, bool postgresql);
/* Tables with records and what is known of nodes, as far as they do not exist. */
void wtl_schema_base(FILE *out, bool postgresql);
/* What follows from job_node, from what it contains; rights; the version. */
void wtl_schema_derive(FILE *out, bool postgresql);

/*
 * SQLite: many rows at once, in one transaction, without the triggers, whose work for each row is 20 statements: drop them, change
 * job_node, then job and the sums from the rows that have changed, and create them again.
 */
void wtl_schema_drop_triggers(FILE *out, bool postgresql);
void wtl_schema_create_triggers(FILE *out, bool postgresql);
/* The indexes, but for the primary keys: to make them again of all rows costs less than to keep them row by row while a table doubles. */
void wtl_schema_drop_indexes(FILE *out, bool postgresql);
void wtl_schema_create_indexes(FILE *out);
/* Rows of jobs that have none yet; which: " AND .." = from these records. */
void wtl_schema_fill_jobs(FILE *out, const char *which);
/* A server: COPY of the fields of a record, and its channels, into `incoming`. */
void wtl_schema_copy(FILE *out);
/* Which rows are added to the sums, or taken away from them, as conditions. */
struct wtl_schema_rows {
    const char *jobs, *records;
    bool names_only; /* nothing but users and names will change in them */
};
void wtl_schema_fold(FILE *out, const struct wtl_schema_rows *rows, bool add);

/* What becomes of a row without its user, and which have one. */
#define WTL_SCHEMA_NAMELESS \
    " SET user_name = 'anonymous', uid = NULL, name = '', trace = '', problem = ''"
#define WTL_SCHEMA_NAMED " AND user_name <> 'anonymous'"

/* Roles, rights and row-level security of PostgreSQL; part of wtl_schema_derive(). */
void wtl_schema_rights(FILE *out);

/* The SQL type of a column, and its definition. */
const char *wtl_schema_type(const struct wtl_job_field *field);
void wtl_schema_column(FILE *out, const struct wtl_job_field *field);

/* When a job or record counts, and the class of its duration (jobs/store_nodes.c), from begin and end as SQL. */
void wtl_schema_at(FILE *out, const char *prefix);
void wtl_schema_span(FILE *out, const char *begin, const char *end);
/* Longest duration of a class in ns; INT64_MAX = no limit. 0 beyond the last class. */
int64_t wtl_schema_span_ns(int span);

/* The shortest time of node_user_total. */
#define WTL_SCHEMA_NODE_USER_DAYS 32

/* Columns of the sums beside their key, in order. */
#define WTL_SCHEMA_SUMS                                                                       \
    "jobs, jobs_unknown, jobs_lower, charged_j, node_s, cpu_s, simulated, estimated, gpu_j, " \
    "estimated_j, estimated_low_j, estimated_high_j, simulated_j, jobs_open, half_j, spread_j"

/* The last of them of a record; # stands for the prefix of its columns. */
#define WTL_SCHEMA_KIND(is, value) "CASE WHEN " is " THEN COALESCE(" value ") ELSE 0 END"
#define WTL_SCHEMA_ESTIMATED_J     WTL_SCHEMA_KIND("#quality = 'estimated'", "#charged_j, 0")
#define WTL_SCHEMA_ESTIMATED_LOW_J \
    WTL_SCHEMA_KIND("#quality = 'estimated'", "#charged_low_j, #charged_j, 0")
#define WTL_SCHEMA_ESTIMATED_HIGH_J \
    WTL_SCHEMA_KIND("#quality = 'estimated'", "#charged_high_j, #charged_j, 0")
#define WTL_SCHEMA_SIMULATED_J \
    WTL_SCHEMA_KIND("#simulated > 0 AND #quality <> 'estimated'", "#charged_j, 0")

/* Of what is not estimated: is its interval unknown; half its width, from what counters tell (high) or else from the resolution; and what of that is
 * from the resolution, so that it is independent of other nodes (wtl_job_half_j()). */
#define WTL_SCHEMA_UNESTIMATED(value) \
    "CASE WHEN #charged_j IS NULL OR #quality = 'estimated' THEN 0 ELSE " value " END"
#define WTL_SCHEMA_OPEN     \
    WTL_SCHEMA_UNESTIMATED( \
        "CASE WHEN #charged_high_j IS NULL AND #resolution_j IS NULL THEN 1 ELSE 0 END")
#define WTL_SCHEMA_HALF_J \
    WTL_SCHEMA_UNESTIMATED("COALESCE(#charged_high_j - #charged_j, #resolution_j, 0)")
#define WTL_SCHEMA_SPREAD_J \
    WTL_SCHEMA_UNESTIMATED( \
        "CASE WHEN #charged_high_j IS NULL THEN COALESCE(#resolution_j, 0) ELSE 0 END")

/* Print an expression with its prefix. */
void wtl_schema_put(FILE *out, const char *expression, const char *prefix);

/* The same of a row of job, or of job_node, each with its name. */
void wtl_schema_summands(FILE *out, bool of_record, const char *prefix);

/* Whole days [first, end) as few times of the lengths that the tables of sums have, none twice. */
#define WTL_SCHEMA_DAY_LAST (INT64_C(1) << 20)
struct wtl_schema_days {
    int64_t days, first, end;
};
struct wtl_schema_days_list {
    struct wtl_schema_days parts[8];
    size_t count;
};
struct wtl_schema_days_list wtl_schema_days(int64_t first, int64_t end);

#endif
