/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle reduce": the traces of all nodes of a run as one. */
#include "cli/commands.h"
#include "cli/reduce/reduce.h"

static int run(int argc, char **argv)
{
    static const struct wtl_team alone = {.rank = 0, .size = 1};
    struct wtl_reduce request;
    int status = wtl_reduce_options(&wtl_reduce_command, argc, argv, &request);
    if (status != WTL_GO_ON)
        return status;
    return wtl_reduce_run(&wtl_reduce_command, &request, &alone);
}

const struct wtl_command wtl_reduce_command = {
    .verb = "reduce",
    .run = run,
    .operands = "DIR|TRACE...",
    .summary = "align and sum the traces of all nodes of a run",
    .text =
        "Prints totals, domains and regions over all nodes, with min, median and max\nnode. With "
        "--output, also writes run.wtl, which holds all traces and can be\nread by other verbs, "
        "and power over time: overall.csv, tag-REGION.csv for each\nregion, untagged.csv.\n",
    .options = wtl_reduce_option_table,
    .examples = "wattle reduce traces/\n"
                "wattle reduce traces/ -o out && wattle stats out/run.wtl\n"
                "wattle reduce --partial --format json n*.wtl | jq .total.measured.energy_j\n"
                "wattle reduce traces/ --groups 0-31,32-63 -o out\n",
    .usage_exit = WTL_EXIT_USAGE,
};
