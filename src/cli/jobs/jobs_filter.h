/* SPDX-License-Identifier: BSD-3-Clause */
/* Which jobs an action is about: the options that its actions share, and the query that they make. */
#ifndef WTL_CLI_JOBS_FILTER_H
#define WTL_CLI_JOBS_FILTER_H

#include "cli/jobs/jobs_database.h"
#include "cli/verb.h"

struct wtl_jobs_filter {
    const char *database; /* NULL = that of the settings */
    const char *user, *account, *partition, *name, *cluster, *node;
    unsigned kind, state;  /* 1 + that of the record; 0 = any */
    const char *from, *to; /* NULL = the default period */
    enum wtl_format format;
};

extern const char *const wtl_jobs_kind_names[], *const wtl_jobs_state_names[];

/* Fields take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
#define WTL_JOBS_OPTION_DATABASE(T, f)                                            \
    {                                                                             \
        0, "database", "URL",                                                     \
            "read sqlite:PATH or postgresql://HOST/NAME\n(default: wattle.conf)", \
            WTL_TAKES_TEXT(T, f.database)                                         \
    }
#define WTL_JOBS_OPTION_CLUSTER(T, f)                                                   \
    {                                                                                   \
        0, "cluster", "NAME", "only jobs of this cluster", WTL_TAKES_TEXT(T, f.cluster) \
    }
#define WTL_JOBS_OPTION_TIMES(T, f, begin)                                                     \
    {0, "from", "TIME",                                                                        \
     "jobs that ended at TIME or later: 2026-11-26,\n2026-11-26T10:00, \"today\", \"month\", " \
     "\"7d\"\n(ago; default " begin ")",                                                       \
     WTL_TAKES_TEXT(T, f.from)},                                                               \
    {                                                                                          \
        0, "to", "TIME", "and before TIME (default now)", WTL_TAKES_TEXT(T, f.to)              \
    }
#define WTL_JOBS_OPTION_STATE(T, f)                                             \
    {                                                                           \
        0, "state", "STATE", "only ended, cut (by a crash) or unknown; or any", \
            WTL_TAKES_CHOICE(T, f.state, wtl_jobs_state_names)                  \
    }
#define WTL_JOBS_OPTION_ROWS(T, f, begin)                                                          \
    WTL_JOBS_OPTION_TIMES(T, f, begin),                                                            \
        {'u', "user", "NAME", "only jobs of this user", WTL_TAKES_TEXT(T, f.user)},                \
        {'A', "account", "NAME", "only jobs of this account", WTL_TAKES_TEXT(T, f.account)},       \
        {'p', "partition", "NAME", "only jobs of this partition", WTL_TAKES_TEXT(T, f.partition)}, \
        {'n', "name", "NAME", "only jobs, or programs, of this name", WTL_TAKES_TEXT(T, f.name)},  \
        {0, "node", "NAME", "only jobs that ran on this node", WTL_TAKES_TEXT(T, f.node)},         \
        {0, "kind", "KIND",                                                                        \
         "only slurm, run (\"wattle run\") or job (\"wattle\njobs begin\"); or any",               \
         WTL_TAKES_CHOICE(T, f.kind, wtl_jobs_kind_names)},                                        \
        WTL_JOBS_OPTION_CLUSTER(T, f), WTL_JOBS_OPTION_DATABASE(T, f),                             \
        WTL_OPTION_FORMAT(T, f.format)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The query; `begin` is the default of --from. 0, or the exit status of the usage error that was printed. */
int wtl_jobs_filter_query(const struct wtl_command *command,
                          const struct wtl_jobs_filter *filter,
                          const char *begin,
                          struct wtl_job_query *ret_query);

/* Only the period. */
int wtl_jobs_filter_period(const struct wtl_command *command,
                           const struct wtl_jobs_filter *filter,
                           const char *begin,
                           int64_t *ret_from_ns,
                           int64_t *ret_to_ns);

/* The wall clock, in ns; WATTLE_JOBS_NOW in seconds instead of it, for tests. */
int64_t wtl_jobs_now(void);

/* What an action works with: settings, the database, factors. */
struct wtl_jobs_context {
    struct wtl_cli_settings settings;
    struct wtl_store *store;
    struct wtl_factors factors;
};

/* Open all. 0 or -errno with a sentence; wtl_jobs_context_fini() in any case. */
int wtl_jobs_context_open(struct wtl_jobs_context *context,
                          const char *database,
                          enum wtl_store_access access,
                          struct wattle_error *err);
void wtl_jobs_context_fini(struct wtl_jobs_context *context);

#endif
