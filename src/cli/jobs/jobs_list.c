/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs list": the jobs of the database, the newest first. */
#define _GNU_SOURCE
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_items.h"

static const char begin[] = "7d";

struct request {
    struct wtl_jobs_filter filter;
    uint64_t limit;
};

static const struct wtl_option options_table[] = {
    WTL_JOBS_OPTION_ROWS(struct request, filter, "7d"),
    WTL_JOBS_OPTION_STATE(struct request, filter),
    {'l', "limit", "N", "at most N jobs (text: default 30)",
     WTL_TAKES_U64(struct request, limit, 1, 1000000000)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

int wtl_jobs_list_run(const struct wtl_command *command,
                      const struct wtl_jobs_filter *filter,
                      struct wtl_job_query *query,
                      size_t limit)
{
    struct wtl_jobs_context context;
    struct wattle_error err = {""};
    struct wtl_jobs_list list = {.limit = limit, .from_ns = query->from_ns, .to_ns = query->to_ns};
    query->limit = limit > 0 ? limit + 1 : 0;
    int rc = wtl_jobs_context_open(&context, filter->database, WTL_STORE_READ, &err);
    if (rc == 0) {
        list.factors = &context.factors;
        list.currency = wtl_jobs_currency(context.settings.config);
        rc = wtl_store_jobs(context.store, query, wtl_jobs_list_take, &list, &err);
        rc = rc < 0 ? rc : wtl_jobs_list_print(&list, filter->format, stdout);
    }
    if (rc < 0)
        wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
    wtl_jobs_list_fini(&list);
    wtl_jobs_context_fini(&context);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_list_command;
    struct wtl_command_line line;
    struct request request = {.limit = 0};
    struct wtl_job_query query;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"; \"wattle jobs show %s\" shows a job",
                         line.words[0], line.words[0]);
    if ((status = wtl_jobs_filter_query(command, &request.filter, begin, &query)))
        return status;
    if (request.limit == 0 && request.filter.format == WTL_FORMAT_TEXT)
        request.limit = 30;
    return wtl_jobs_list_run(command, &request.filter, &query, request.limit);
}

const struct wtl_command wtl_jobs_list_command = {
    .verb = "jobs list",
    .run = run,
    .operands = "",
    .summary = "list jobs with their energy, the newest first",
    .text = "The jobs of the site's database that you may see, or your own runs that were\n"
            "recorded with \"wattle run --record\".\n",
    .options = options_table,
    .examples = "wattle jobs\n"
                "wattle jobs list --user alice --from 2026-11-01 --to 2026-12-01\n"
                "wattle jobs --account physics --format csv\n",
    .usage_exit = WTL_EXIT_USAGE,
};
