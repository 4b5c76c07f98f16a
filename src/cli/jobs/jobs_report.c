/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs report": sums of jobs, with their price and CO2. */
#define _GNU_SOURCE
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_totals.h"

struct request {
    struct wtl_jobs_filter filter;
    enum wtl_store_group by;
    uint64_t limit;
};

static const struct wtl_option options_table[] = {
    {'b', "by", "WHAT",
     "one row for each user, account, program,\npartition, cluster, node, day, week or month,\nor "
     "one for all (default user)",
     WTL_TAKES_CHOICE(struct request, by, wtl_jobs_group_names)},
    WTL_JOBS_OPTION_ROWS(struct request, filter, "month"),
    {'l', "limit", "N", "at most N rows", WTL_TAKES_U64(struct request, limit, 1, 1000000000)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

int wtl_jobs_report_run(const struct wtl_command *command,
                        const struct wtl_jobs_filter *filter,
                        const struct wtl_job_query *query,
                        enum wtl_store_group by,
                        size_t limit)
{
    struct wtl_jobs_context context;
    struct wtl_jobs_totals totals = {.group = by, .limit = limit};
    struct wattle_error err = {""};
    int rc = wtl_jobs_context_open(&context, filter->database, WTL_STORE_READ, &err);
    if (rc == 0) {
        totals.currency = wtl_jobs_currency(context.settings.config);
        rc = wtl_jobs_totals_read(&totals, context.store, query, &context.factors, &err);
        rc = rc < 0 ? rc : wtl_jobs_totals_print(&totals, filter->format, stdout);
    }
    if (rc < 0)
        wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
    wtl_jobs_totals_fini(&totals);
    wtl_jobs_context_fini(&context);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_report_command;
    struct wtl_command_line line;
    struct request request = {.by = WTL_GROUP_USER};
    struct wtl_job_query query;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    if ((status = wtl_jobs_filter_query(command, &request.filter, "month", &query)))
        return status;
    return wtl_jobs_report_run(command, &request.filter, &query, request.by, request.limit);
}

const struct wtl_command wtl_jobs_report_command = {
    .verb = "jobs report",
    .run = run,
    .operands = "",
    .summary = "add up the energy of jobs, with price and CO2",
    .text = "A job counts with what it is charged, in the period in which it ended. Price and\n"
            "CO2 follow the factors of wattle.conf(5).\n",
    .options = options_table,
    .examples = "wattle jobs report\n"
                "wattle jobs report --by account --from 2026-11 --to 2026-12\n"
                "wattle jobs report --by month --user alice --from 2026-01-01\n",
    .usage_exit = WTL_EXIT_USAGE,
};
