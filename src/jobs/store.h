/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The database of jobs: SQLite on one machine, PostgreSQL for a site, with the same tables and, where possible, the
 * same SQL (docs/dev/jobs.md). libsqlite3 and libpq are loaded when they are needed.
 *
 * A job's row is the sum over its nodes of the records without a step; steps are never added to their job. If a node
 * has not reported, or its energy is unknown, the sum is a lower bound and says so.
 */
#ifndef WTL_JOBS_STORE_H
#define WTL_JOBS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "jobs/record.h"
#include "jobs/store_access.h"

struct wtl_store;

/*
 * url: "sqlite:PATH" or "postgresql://USER@HOST/DB?sslmode=verify-full"; secrets belong in ~/.pgpass. 0; -ENOTSUP: the
 * library is not installed or not in this build; -EINVAL: not such a URL, or a connection over a network without TLS;
 * -ENOENT: no such file; -ENODATA: it has no tables of wattle's (wattle jobs init); -EPROTO: made by a newer wattle;
 * -EAGAIN: cannot be reached now, try again later; -EACCES: refused.
 */
int wtl_store_open(const char *url,
                   enum wtl_store_access access,
                   struct wtl_store **ret_store,
                   struct wattle_error *err);
void wtl_store_close(struct wtl_store *store); /* accepts NULL */
/* The url without secrets, for messages; borrowed. */
const char *wtl_store_name(const struct wtl_store *store);
/* Whether the database shows all jobs of an account (NULL or "": of all), and not only those of who asks. */
int wtl_store_sees(struct wtl_store *store,
                   const char *account,
                   bool *ret_all,
                   struct wattle_error *err);

/*
 * Insert records in one transaction. Those whose key exists are left as they are; *ret_new (may be NULL) is the number
 * of the others. 0; -EAGAIN: the connection is lost or the database busy, nothing or everything was done, do it again;
 * -EBADMSG: a record is refused for what it contains, nothing was done.
 */
int wtl_store_put(struct wtl_store *store,
                  const struct wtl_job_record *records,
                  size_t n,
                  size_t *ret_new,
                  struct wattle_error *err);

/*
 * Any number of records in one transaction, begun here and ended by wtl_store_bulk_end(): what 0.5 ms for each record would cost too much
 * for. Jobs and sums follow at its end, so that until then questions are answered without them. rc of the end: 0, or why the caller gives up
 * and nothing is done. doubts: imported jobs whose energy is not believed any more, with these. *ret_new and errors as of wtl_store_put().
 * expected: about how many there will be; where that is more than there are, the indexes are made again at the end.
 * One at a time of a store; the end frees it. After the first put, the store answers nothing else until the end.
 */
struct wtl_store_bulk;
struct wtl_store_doubt {
    const char *cluster, *unit, *problem; /* problem: why */
};
int wtl_store_bulk_begin(struct wtl_store *store,
                         size_t expected,
                         struct wtl_store_bulk **ret_bulk,
                         struct wattle_error *err);
int wtl_store_bulk_put(struct wtl_store_bulk *bulk,
                       const struct wtl_job_record *record,
                       struct wattle_error *err);
int wtl_store_bulk_end(struct wtl_store_bulk *bulk,
                       int rc,
                       const struct wtl_store_doubt *doubts,
                       size_t doubt_count,
                       size_t *ret_new,
                       struct wattle_error *err);

/* The records of whole jobs that ran between two times, each on its node, as far as the store shows them; texts are valid during the call. */
struct wtl_store_stay {
    const char *cluster, *unit, *job_id, *node;
    uint64_t raw_job_id;          /* 0 = unknown */
    int64_t begin_ns, end_ns;     /* 0 = unknown */
    bool is_run;                  /* of `wattle run`: perhaps within another job */
    bool is_imported, has_energy; /* from Slurm's accounting */
};
typedef int wtl_store_take_stay_fn(void *arg, const struct wtl_store_stay *stay);
int wtl_store_stays(struct wtl_store *store,
                    int64_t from_ns,
                    int64_t to_ns,
                    wtl_store_take_stay_fn *take,
                    void *arg,
                    struct wattle_error *err);

/* Which jobs. "" or 0 = any. Times: jobs that ended at from_ns or later and before to_ns, CLOCK_REALTIME. */
struct wtl_job_query {
    const char *cluster, *user, *account, *partition, *name; /* NULL or "" = any */
    const char *job_id; /* as typed ("5_2"); a number also finds the raw id */
    const char *unit;
    const char *node; /* jobs with a record of this node */
    int kind;         /* enum wtl_job_kind + 1; 0 = any */
    int state;        /* enum wtl_job_state + 1; 0 = any */
    int64_t from_ns, to_ns;
    bool by_energy; /* the largest energy first; otherwise the newest first */
    size_t limit;   /* 0 = all */
};

/* What of charged_j is not measured: never added to the rest. low_j, high_j: the interval of what is estimated. half_j: half width of the
 * interval of all that is not, as a sum over nodes and jobs; spread_j: of it by resolution. open: of so many summands it is unknown. */
struct wtl_job_kinds {
    double estimated_j, low_j, high_j, simulated_j; /* 0 = none */
    double half_j, spread_j;
    int64_t open;
};

/*
 * Half width of the 95 % interval of a sum over nodes, whose greatest errors by resolution (spread_j together; spread_squares: the sum of their
 * squares) are independent; the rest of half_j, by what counters tell, is wrong for the same reasons everywhere and adds up. Pure.
 */
double wtl_job_half_j(double half_j, double spread_j, double spread_squares);

/* One job: sums over nodes. Texts are valid during the call. NaN, -1, 0 as in struct wtl_job_record. */
struct wtl_job_row {
    const char *cluster, *unit, *job_id, *user, *account, *partition, *name, *rule, *quality,
        *trace, *problem, *slurm_state;
    uint64_t raw_job_id;
    int64_t uid;
    enum wtl_job_kind kind;
    enum wtl_job_state state;                        /* cut if it is on any node */
    int64_t submit_ns, begin_ns, end_ns, elapsed_ns; /* first begin, last end, longest */
    int64_t exit_status, exit_signal;                /* the largest */
    int64_t nodes, nodes_seen,
        nodes_known; /* of the job, 0 = unknown; with a record; with an energy */
    int64_t cpus;
    double cpu_s;
    int64_t max_rss_bytes, max_rss_task;
    const char *max_rss_node;
    double energy_j, resolution_j, unknown_s, charged_j, idle_j,
        unattributed_j; /* of the nodes_known nodes */
    double gpu_j;       /* of charged_j: GPUs */
    double charged_low_j,
        charged_high_j; /* if estimated: the interval of its model; charged_j twice: unknown */
    struct wtl_job_kinds kinds; /* of charged_j */
    bool simulated, estimated;  /* some of it */
    bool lower_bound;           /* a node is missing or unknown, or has a gap */
};

/* by_energy: jobs whose energy is unknown come last. Callbacks return 0 to go on; other values stop and are returned. */
typedef int wtl_store_take_job_fn(void *arg, const struct wtl_job_row *row);
int wtl_store_jobs(struct wtl_store *store,
                   const struct wtl_job_query *query,
                   wtl_store_take_job_fn *take,
                   void *arg,
                   struct wattle_error *err);

/* The records themselves, with their steps and channels, by cluster, unit, step,
 * node; the query needs job_id or unit. */
typedef int wtl_store_take_record_fn(void *arg, const struct wtl_job_record *record);
int wtl_store_records(struct wtl_store *store,
                      const struct wtl_job_query *query,
                      wtl_store_take_record_fn *take,
                      void *arg,
                      struct wattle_error *err);

enum wtl_store_group {
    WTL_GROUP_USER,
    WTL_GROUP_ACCOUNT,
    WTL_GROUP_PROGRAM, /* the name of a job */
    WTL_GROUP_PARTITION,
    WTL_GROUP_CLUSTER,
    WTL_GROUP_NODE,
    WTL_GROUP_DAY,   /* of the end of a job, UTC: "2026-11-26" */
    WTL_GROUP_WEEK,  /* its Monday */
    WTL_GROUP_MONTH, /* its first day */
    WTL_GROUP_ALL,   /* one row, "" */
    WTL_STORE_GROUPS
};

struct wtl_total_row {
    const char *key;
    int64_t jobs;         /* of a node: records */
    int64_t jobs_unknown; /* whose energy is unknown: left out of the sums */
    int64_t jobs_lower;   /* whose energy is a lower bound */
    double charged_j;     /* NaN if no job's energy is known */
    double gpu_j;         /* of it: GPUs */
    double node_s;        /* time x nodes */
    double cpu_s;         /* of those that are known */
    struct wtl_job_kinds kinds;
    bool simulated; /* some of it */
    bool estimated; /* likewise: of nodes without a sensor */
};
typedef int wtl_store_take_total_fn(void *arg, const struct wtl_total_row *row);

/* Sums over the jobs of a query, largest energy first (of day, week, month: by time). unit and job_id are not for sums
 * (-EINVAL). */
int wtl_store_totals(struct wtl_store *store,
                     const struct wtl_job_query *query,
                     enum wtl_store_group group,
                     wtl_store_take_total_fn *take,
                     void *arg,
                     struct wattle_error *err);

/* What jobs are charged on nodes between two times. A record that overlaps a border counts by the share of its time
 * within, as if its power had been constant. */
struct wtl_node_row {
    const char *cluster, *node;
    int64_t records, records_unknown, records_lower;
    int64_t records_cut; /* overlap a border */
    double charged_j;    /* NaN if nothing is known */
    double cut_j;        /* the part of it by overlap */
    struct wtl_job_kinds kinds;
    bool simulated, estimated; /* some of it */
};
typedef int wtl_store_take_node_fn(void *arg, const struct wtl_node_row *row);
int wtl_store_nodes_energy(struct wtl_store *store,
                           const char *cluster, /* NULL or "": any */
                           const char *const *nodes,
                           size_t count, /* 0 = all nodes */
                           int64_t from_ns,
                           int64_t to_ns,
                           wtl_store_take_node_fn *take,
                           void *arg,
                           struct wattle_error *err);

/* Make the tables of an empty database, or bring older ones to this version; *ret_from: the version found, 0 = none. */
int wtl_store_migrate(struct wtl_store *store, int *ret_from, struct wattle_error *err);
/* The same as SQL, for a DBA: "sqlite" or "postgresql"; malloc'ed. */
int wtl_store_schema_text(const char *engine, char **ret_text, struct wattle_error *err);

/* How many jobs ended before a time. */
int wtl_store_count(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err);
/* Remove jobs that ended before a time; number of jobs. */
int wtl_store_purge(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err);
/* Take user, uid, names, traces out of them; sums by account and partition remain. */
int wtl_store_anonymise(struct wtl_store *store,
                        int64_t before_ns,
                        int64_t *ret_jobs,
                        struct wattle_error *err);

/* A node tells of itself. Part of `wattle jobs send`. */
struct wtl_store_sender {
    const char *cluster, *node, *version;
    int64_t seen_ns; /* of the row: by the clock of the database */
    int64_t backlog_records, backlog_bytes, oldest_ns; /* in its spool */
    int64_t refused, damaged, rejected;
};
int wtl_store_seen(struct wtl_store *store,
                   const struct wtl_store_sender *sender,
                   struct wattle_error *err);
typedef int wtl_store_take_sender_fn(void *arg, const struct wtl_store_sender *sender);
int wtl_store_senders(struct wtl_store *store,
                      wtl_store_take_sender_fn *take,
                      void *arg,
                      struct wattle_error *err);

#endif
