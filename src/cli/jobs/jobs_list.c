/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs list": the jobs of the database, the newest first. "wattle jobs top": those with the most energy. */
#define _GNU_SOURCE
#include <string.h>

#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_items.h"

static const char begin[] = "7d";

struct request {
    struct wtl_jobs_filter filter;
    uint64_t limit;
};

#define OPTIONS(limit_help)                                                                   \
    WTL_JOBS_OPTION_ROWS(struct request, filter, "7d"),                                       \
        WTL_JOBS_OPTION_STATE(struct request, filter),                                        \
        {'l', "limit", "N", limit_help, WTL_TAKES_U64(struct request, limit, 1, 1000000000)}, \
        WTL_OPTION_HELP, WTL_OPTIONS_END

static const struct wtl_option list_options[] = {OPTIONS("at most N jobs (text: default 30)")};
static const struct wtl_option top_options[] = {OPTIONS("at most N rows (default 10)")};

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

static int list(int argc, char **argv)
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
    .run = list,
    .operands = "",
    .summary = "list jobs with their energy, the newest first",
    .text = "The jobs of the site's database that you may see, or your own runs that were\n"
            "recorded with \"wattle run --record\".\n",
    .options = list_options,
    .examples = "wattle jobs\n"
                "wattle jobs list --user alice --from 2026-11-01 --to 2026-12-01\n"
                "wattle jobs --account physics --format csv\n",
    .usage_exit = WTL_EXIT_USAGE,
};

static const struct {
    const char *word;
    enum wtl_store_group group;
} subjects[] = {{"users", WTL_GROUP_USER},
                {"programs", WTL_GROUP_PROGRAM},
                {"accounts", WTL_GROUP_ACCOUNT},
                {"nodes", WTL_GROUP_NODE}};

static int top(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_top_command;
    struct wtl_command_line line;
    struct request request = {.limit = 10};
    struct wtl_job_query query;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 1)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[1]);
    if ((status = wtl_jobs_filter_query(command, &request.filter, begin, &query)))
        return status;
    const char *word = line.count > 0 ? line.words[0] : "jobs";
    query.by_energy = true;
    if (strcmp(word, "jobs") == 0)
        return wtl_jobs_list_run(command, &request.filter, &query, request.limit);
    if (query.state > 0)
        return wtl_usage(command, "--state is only for jobs, not for %s", word);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (strcmp(word, subjects[i].word) == 0)
            return wtl_jobs_report_run(command, &request.filter, &query, subjects[i].group,
                                       request.limit);
    }
    return wtl_usage(command, "\"%s\" is not jobs, users, programs, accounts or nodes", word);
}

const struct wtl_command wtl_jobs_top_command = {
    .verb = "jobs top",
    .run = top,
    .operands = "[jobs | users | programs | accounts | nodes]",
    .summary = "show the jobs, users or programs with the most energy",
    .text = "Without an argument, jobs.\n",
    .options = top_options,
    .examples = "wattle jobs top\n"
                "wattle jobs top programs --from month\n",
    .usage_exit = WTL_EXIT_USAGE,
};
