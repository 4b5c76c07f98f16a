/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs open": the jobs that this node's wattled is measuring. */
#define _GNU_SOURCE
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_node.h"

struct request {
    enum wtl_format format;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int take_jobs(struct wtl_node_job_list *list, const char *id, char *lines)
{
    (void)id;
    return wtl_node_job_list_parse(list, lines);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_open_command;
    struct wtl_command_line line;
    struct request request = {.format = WTL_FORMAT_TEXT};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    return wtl_jobs_node_ask(command, "jobs", "", take_jobs, request.format);
}

const struct wtl_command wtl_jobs_open_command = {
    .verb = "jobs open",
    .run = run,
    .operands = "",
    .summary = "list the jobs that wattled on this node is measuring",
    .text = "Requires root and a running wattled(8).\n",
    .options = options_table,
    .examples = "wattle jobs open\n",
    .usage_exit = WTL_EXIT_USAGE,
};
