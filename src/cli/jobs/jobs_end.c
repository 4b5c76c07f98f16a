/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs end": the energy of a job that began on this node. */
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

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_end_command;
    struct wtl_command_line line;
    struct request request = {.format = WTL_FORMAT_TEXT};
    const char *id = NULL;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if ((status = wtl_jobs_node_id(command, &line, &id)))
        return status;
    return wtl_jobs_node_ask(command, "end ", id, wtl_node_job_list_parse_ended, request.format);
}

const struct wtl_command wtl_jobs_end_command = {
    .verb = "jobs end",
    .run = run,
    .operands = "ID",
    .summary = "end a batch job on this node and print its energy",
    .text = "For the epilog of a batch system, as root. Prints the energy of the whole node since\n"
            "\"wattle jobs begin\", and the time that is missing from it. Requires a running\n"
            "wattled(8).\n",
    .options = options_table,
    .examples = "wattle jobs end 4711\n"
                "wattle jobs end 4711 --format json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
