/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the store have in common; see store.h. */
#ifndef WTL_JOBS_DATABASE_STORE_STATE_H
#define WTL_JOBS_DATABASE_STORE_STATE_H

#include <stdio.h>

#include "jobs/database/database.h"
#include "jobs/store.h"

struct wtl_store {
    struct wtl_database *database;
    bool sees_all;     /* the rows of all users, so that sums over users may be read */
    char own_user[64]; /* the one user whose rows it sees; "" = there may be more */
    char *insert;      /* the statement of put; NULL = not made yet */
};

/* Begin a transaction that may write; end it: keep what was done if rc is 0, otherwise undo it and return rc. */
int wtl_store_begin(struct wtl_store *store, struct wattle_error *err);
int wtl_store_end(struct wtl_store *store, int rc, struct wattle_error *err);

/* The values of a record, in the order of its fields, and its channels as text (the caller frees `channels`, also after a failure). */
enum { WTL_STORE_VALUES = 64 };
struct wtl_store_values {
    struct wtl_sql_value list[WTL_STORE_VALUES];
    size_t count;
    char *channels;
};
int wtl_store_values_of(const struct wtl_job_record *record,
                        struct wtl_store_values *ret_values,
                        struct wattle_error *err);

/* Insert a record, in a transaction; *added counts those whose key was not there. Errors as of wtl_store_put(). */
int wtl_store_put_one(struct wtl_store *store,
                      const struct wtl_job_record *record,
                      size_t *added,
                      struct wattle_error *err);

/* Statements of the schema (database/schema.h), which `write` prints. */
int wtl_store_script(struct wtl_store *store,
                     void (*write)(FILE *out, bool postgresql),
                     struct wattle_error *err);

/* Of a connection: a file of SQLite, and no server. */
bool wtl_store_is_file(const struct wtl_store *store);

/* A query with the user who asks, if he sees no rows of others: the rule that keeps them from him is of no index. */
struct wtl_job_query wtl_store_own(const struct wtl_store *store,
                                   const struct wtl_job_query *query);

/* SQL under construction: text, and the values of its parameters. */
enum { WTL_SQL_VALUES = 96 };
struct wtl_sql {
    FILE *out;
    char *text;
    size_t size, count;
    struct wtl_sql_value values[WTL_SQL_VALUES];
};
int wtl_sql_start(struct wtl_sql *sql, struct wattle_error *err);
/* One more parameter: writes its name, with its type. */
void wtl_sql_put(struct wtl_sql *sql, struct wtl_sql_value value);
/* Run it, and free it. */
int wtl_sql_finish(struct wtl_sql *sql,
                   struct wtl_store *store,
                   wtl_sql_take_fn *take,
                   void *arg,
                   int64_t *ret_changed,
                   struct wattle_error *err);

/* The condition whose index is used; the engines do not know which one few jobs fulfil. */
enum wtl_query_by {
    WTL_BY_ANY,    /* as the engine likes */
    WTL_BY_ENERGY, /* the energies of the user, the account or all */
    WTL_BY_USER,
    WTL_BY_ACCOUNT,
    WTL_BY_PARTITION,
    WTL_BY_NAME,
    WTL_BY_KIND,
    WTL_BY_STATE,
    WTL_BY_OTHER /* none of them */
};

/* " AND a.x = $n" for each condition of a query on a table `a` that has these columns (name: may be ""). Not the node,
 * and not the times. */
struct wtl_query_columns {
    bool partition, name, ids;
    enum wtl_query_by by;
};
void wtl_sql_filter(struct wtl_sql *sql,
                    const struct wtl_job_query *query,
                    const struct wtl_query_columns *columns);
/*
 * " FROM job a WHERE .." with the node of the query: these jobs are found by its records `n`. Returns the column with
 * the time of a job: with a node, when it ended there.
 */
const char *wtl_sql_from_jobs(struct wtl_sql *sql, const struct wtl_job_query *query);
/* The same with the times of the query, for a walk over `job a` in some order: its jobs are looked up among the records. */
void wtl_sql_walk_jobs(struct wtl_sql *sql, const struct wtl_job_query *query);
/* What sums must have, beside cluster, kind and state; the table of them with the fewest rows. */
struct wtl_sums_needs {
    bool user, account, partition, name;
};
const char *wtl_sql_sums(const struct wtl_store *store, struct wtl_sums_needs needs);
/* " AND at >= $n AND at < $m", as far as they are not 0. */
void wtl_sql_between(struct wtl_sql *sql, const char *at, int64_t from_ns, int64_t to_ns);

/* A record of Slurm's accounting. */
#define WTL_SQL_IMPORTED " AND version = 'sacct'"

#define WTL_DAY_NS INT64_C(86400000000000)

#endif
