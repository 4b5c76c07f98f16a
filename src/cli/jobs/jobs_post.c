/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs post": the ledger's joules into Slurm's accounting. "wattle jobs verify": what is there now. */
#define _GNU_SOURCE
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_posting.h"

struct request {
    struct wtl_jobs_filter filter;
    bool comment, simulated, all, dry_run;
};

/* Of both. */
#define OPTIONS                                                                    \
    {'a', "all", NULL, "list all jobs, also those that are the same",              \
     WTL_SETS(struct request, all)},                                               \
        {0, "comment", NULL, "AdminComment instead of the energy, with any Slurm", \
         WTL_SETS(struct request, comment)},                                       \
        {0, "simulated", NULL, "also energies of simulated sensors, for tests",    \
         WTL_SETS(struct request, simulated)},                                     \
        WTL_JOBS_OPTION_CLUSTER(struct request, filter),                           \
        WTL_JOBS_OPTION_DATABASE(struct request, filter),                          \
        WTL_OPTION_FORMAT(struct request, filter.format), WTL_OPTION_HELP, WTL_OPTIONS_END

static const struct wtl_option post_options[] = {
    WTL_JOBS_OPTION_TIMES(struct request, filter, "2d"),
    {'n', "dry-run", NULL, "print the commands, run none", WTL_SETS(struct request, dry_run)},
    OPTIONS};

static const struct wtl_option verify_options[] = {
    WTL_JOBS_OPTION_TIMES(struct request, filter, "2d"), OPTIONS};

static int act(const struct wtl_command *command, int argc, char **argv, bool write)
{
    struct wtl_command_line line;
    struct request request = {.comment = false};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    struct wtl_postings postings = {
        .by_comment = request.comment, .simulated_too = request.simulated, .details = request.all};
    return wtl_postings_run(command, &request.filter, &postings, write, request.dry_run);
}

static int post(int argc, char **argv)
{
    return act(&wtl_jobs_post_command, argc, argv, true);
}

static int verify(int argc, char **argv)
{
    return act(&wtl_jobs_verify_command, argc, argv, false);
}

const struct wtl_command wtl_jobs_post_command = {
    .verb = "jobs post",
    .run = post,
    .operands = "",
    .summary = "write the energy of jobs into Slurm's accounting",
    .text =
        "For one timer of the site; off unless wattle.conf(5) says \"post = yes\". Writes only\n"
        "jobs whose end Slurm has, whose nodes have all reported and whose energy is\n"
        "known in full, and reads them back. What an outage leaves is written next time.\n"
        "From Slurm 25.11 on the energy of the job, else its AdminComment.\n",
    .options = post_options,
    .examples = "wattle jobs post --dry-run\n"
                "wattle jobs post --from 7d\n",
    .usage_exit = WTL_EXIT_USAGE,
};

const struct wtl_command wtl_jobs_verify_command = {
    .verb = "jobs verify",
    .run = verify,
    .operands = "",
    .summary = "find jobs whose energy in Slurm is not the ledger's",
    .text = "In Slurm, the owner of a job may change its energy. Exit status 1: a job differs,\n"
            "or Slurm has none.\n",
    .options = verify_options,
    .examples = "wattle jobs verify\n"
                "wattle jobs verify --from 7d\n",
    .usage_exit = WTL_EXIT_USAGE,
};
