/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs top": the jobs, users or programs with the most energy. */
#define _GNU_SOURCE
#include <string.h>

#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"

struct request {
    struct wtl_jobs_filter filter;
    uint64_t limit;
};

static const struct wtl_option options_table[] = {
    WTL_JOBS_OPTION_ROWS(struct request, filter, "7d"),
    WTL_JOBS_OPTION_STATE(struct request, filter),
    {'l', "limit", "N", "at most N rows (default 10)",
     WTL_TAKES_U64(struct request, limit, 1, 1000000000)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static const struct {
    const char *word;
    enum wtl_store_group group;
} subjects[] = {{"users", WTL_GROUP_USER},
                {"programs", WTL_GROUP_PROGRAM},
                {"accounts", WTL_GROUP_ACCOUNT},
                {"nodes", WTL_GROUP_NODE}};

static int run(int argc, char **argv)
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
    if ((status = wtl_jobs_filter_query(command, &request.filter, "7d", &query)))
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
    .run = run,
    .operands = "[jobs | users | programs | accounts | nodes]",
    .summary = "show the jobs, users or programs with the most energy",
    .text = "Without an argument, jobs.\n",
    .options = options_table,
    .examples = "wattle jobs top\n"
                "wattle jobs top programs --from month\n",
    .usage_exit = WTL_EXIT_USAGE,
};
