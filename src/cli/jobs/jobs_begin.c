/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs begin": wattled measures a job from now on. */
#define _GNU_SOURCE
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_node.h"

struct request {
    bool unused;
};

static const struct wtl_option options_table[] = {WTL_OPTION_HELP, WTL_OPTIONS_END};

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_begin_command;
    struct wtl_command_line line;
    struct request request = {false};
    const char *id = NULL;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if ((status = wtl_jobs_node_id(command, &line, &id)))
        return status;
    return wtl_jobs_node_ask(command, "begin ", id, NULL, WTL_FORMAT_TEXT);
}

const struct wtl_command wtl_jobs_begin_command = {
    .verb = "jobs begin",
    .run = run,
    .operands = "ID",
    .summary = "begin to measure a batch job on this node",
    .text = "For the prolog of a batch system, as root. An ID has 1 to 64 characters of\n"
            "A-Z a-z 0-9 . _ + -, the first a letter or digit. Requires a running wattled(8).\n",
    .options = options_table,
    .examples = "wattle jobs begin 4711\n",
    .usage_exit = WTL_EXIT_USAGE,
};
