/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle gather": save what wattle reads on this machine to a folder, for a bug report. */
#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/gather/gather.h"
#include "cli/inputs.h"
#include "cli/terminal/consent.h"
#include "report/table.h"

struct request {
    const char *output, *host;
    bool list, yes, force;
};

static const struct wtl_option options_table[] = {
    {'o', "output", "DIR", "save to this folder, which is created",
     WTL_TAKES_FILE(struct request, output)},
    {0, "force", NULL, "replace a folder saved by an earlier gather",
     WTL_SETS(struct request, force)},
    {'l', "list", NULL, "print what would be saved, and exit", WTL_SETS(struct request, list)},
    {'y', "yes", NULL, "save without asking", WTL_SETS(struct request, yes)},
    {0, "host", "DIR", "gather from a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* After the list: may it be saved? */
static int ask(const struct request *request,
               const struct wtl_gather *gather,
               struct wattle_error *err)
{
    char question[PATH_MAX + 60];
    (void)snprintf(question, sizeof question, "Save these %zu entries to %s?", gather->count,
                   request->output);
    return wtl_consent(request->yes, question, "nothing was saved: check the list, then use --yes",
                       err);
}

static int gather_all(const struct request *request,
                      const struct wtl_world *world,
                      struct wattle_error *err)
{
    struct wtl_gather gather;
    int rc = wtl_gather_collect(&gather, world, err);
    if (rc == 0) {
        wtl_gather_list(stdout, &gather);
        rc = wtl_flush(stdout, err);
    }
    if (rc == 0 && !request->list)
        rc = ask(request, &gather, err);
    if (rc == 0 && !request->list)
        rc = wtl_gather_write(&gather, request->output, request->force, err);
    if (rc == 0 && !request->list) {
        wtl_print_sentence(stdout,
                           "Saved. Check the files in %s, then run: tar -czf %s.tar.gz %s\n",
                           request->output, request->output, request->output);
        rc = wtl_flush(stdout, err);
    }
    wtl_gather_fini(&gather);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_gather_command;
    struct request request = {0};
    struct wtl_command_line line;
    struct wtl_world *recorded = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (!request.list && (!request.output || !request.output[0]))
        return wtl_usage(command,
                         "no folder given; use -o DIR, or --list to show what would be saved");
    int rc = wtl_outputs_differ(request.output, request.host, &err);
    if (rc == 0 && request.host)
        rc = wtl_world_recorded(request.host, &recorded, &err);
    if (rc == 0)
        rc = gather_all(&request, request.host ? recorded : wtl_world_real(), &err);
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_gather_command = {
    .verb = "gather",
    .run = run,
    .operands = "",
    .summary = "save what wattle sees on this machine, for a bug report",
    .text =
        "Saves the files that sensors read, without anything that identifies the\nmachine, as a "
        "recorded host: \"wattle sensors --host DIR\" then shows the same as\nhere. Prints the "
        "list first and asks; without a terminal, nothing is saved\nunless --yes is given.\n",
    .options = options_table,
    .examples = "wattle gather --list\n"
                "wattle gather -o my-machine && wattle doctor --host my-machine\n"
                "sudo wattle gather -o my-machine --yes\n",
    .usage_exit = WTL_EXIT_USAGE,
};
