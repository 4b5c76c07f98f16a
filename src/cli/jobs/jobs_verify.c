/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs verify": jobs whose energy in Slurm's accounting is not the ledger's. */
#define _GNU_SOURCE
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_posting.h"

struct request {
    struct wtl_jobs_filter filter;
    bool comment, simulated, all;
};

static const struct wtl_option options_table[] = {
    WTL_JOBS_OPTION_TIMES(struct request, filter, "2d"),
    {'a', "all", NULL, "list all jobs, also those that are the same",
     WTL_SETS(struct request, all)},
    {0, "comment", NULL, "AdminComment instead of the energy, with any Slurm",
     WTL_SETS(struct request, comment)},
    {0, "simulated", NULL, "also energies of simulated sensors, for tests",
     WTL_SETS(struct request, simulated)},
    WTL_JOBS_OPTION_CLUSTER(struct request, filter),
    WTL_JOBS_OPTION_DATABASE(struct request, filter),
    WTL_OPTION_FORMAT(struct request, filter.format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_verify_command;
    struct wtl_command_line line;
    struct request request = {.comment = false};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    struct wtl_postings postings = {
        .by_comment = request.comment, .simulated_too = request.simulated, .details = request.all};
    return wtl_postings_run(command, &request.filter, &postings, false, false);
}

const struct wtl_command wtl_jobs_verify_command = {
    .verb = "jobs verify",
    .run = run,
    .operands = "",
    .summary = "find jobs whose energy in Slurm is not the ledger's",
    .text = "In Slurm, the owner of a job may change its energy. Exit status 1: a job differs,\n"
            "or Slurm has none.\n",
    .options = options_table,
    .examples = "wattle jobs verify\n"
                "wattle jobs verify --from 7d\n",
    .usage_exit = WTL_EXIT_USAGE,
};
