/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle jobs ACTION": each action is a command of its own, in a file jobs_<action>.c, with a row in cmd_jobs.c, a page
 * docs/man/wattle-jobs-<action>.1 and its words in completions/.
 */
#ifndef WTL_CLI_JOBS_H
#define WTL_CLI_JOBS_H

#include "cli/commands.h"
#include "jobs/store.h"

/* Of this node's wattled. */
extern const struct wtl_command wtl_jobs_begin_command;
extern const struct wtl_command wtl_jobs_end_command;
extern const struct wtl_command wtl_jobs_open_command;

/* Of the database. */
extern const struct wtl_command wtl_jobs_list_command;
extern const struct wtl_command wtl_jobs_show_command;
extern const struct wtl_command wtl_jobs_top_command;
extern const struct wtl_command wtl_jobs_report_command;
extern const struct wtl_command wtl_jobs_energy_command;
extern const struct wtl_command wtl_jobs_budget_command;
extern const struct wtl_command wtl_jobs_import_command;
extern const struct wtl_command wtl_jobs_post_command;
extern const struct wtl_command wtl_jobs_verify_command;

/* Of the spool, and of who keeps the database. */
extern const struct wtl_command wtl_jobs_send_command;
extern const struct wtl_command wtl_jobs_health_command;
extern const struct wtl_command wtl_jobs_init_command;
extern const struct wtl_command wtl_jobs_purge_command;
extern const struct wtl_command wtl_jobs_anonymise_command;

struct wtl_jobs_filter;

/* Print the jobs of a query, at most `limit` of them (0 = all); sums of them. Each returns the exit status. */
int wtl_jobs_list_run(const struct wtl_command *command,
                      const struct wtl_jobs_filter *filter,
                      struct wtl_job_query *query,
                      size_t limit);
int wtl_jobs_report_run(const struct wtl_command *command,
                        const struct wtl_jobs_filter *filter,
                        const struct wtl_job_query *query,
                        enum wtl_store_group by,
                        size_t limit);

#endif
