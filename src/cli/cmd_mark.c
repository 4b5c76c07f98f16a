/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle mark": the next stage of what "wattle start" measures. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "cli/bracket.h"
#include "cli/commands.h"

enum { END = 1 };

static const struct wtl_option options[] = {
    {END, 0, "end", NULL, "end the stage that is open and begin none"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static int run_mark(int argc, char **argv)
{
    struct wtl_options scan;
    struct wtl_bracket bracket;
    struct wattle_error err = {""};
    char request[WTL_BRACKET_MESSAGE];
    const char *value;
    bool end = false;
    wtl_options_init(&scan, &wtl_mark_command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        if (id < 0)
            return scan.exit_code;
        end = true;
    }
    if (argc - scan.operand != (end ? 0 : 1))
        return wtl_usage(&wtl_mark_command,
                         end ? "--end takes no name" : "expected one NAME, the stage that begins");
    const char *name = end ? "" : argv[scan.operand];
    if (!end && (!name[0] || strlen(name) > 255))
        return wtl_usage(&wtl_mark_command, "a stage's name is 1 to 255 bytes, this one has %zu",
                         strlen(name));
    (void)snprintf(request, sizeof request, end ? "end%s" : "mark %s", name);
    if (wtl_bracket_find(wtl_world_real(), &bracket, &err) < 0 ||
        wtl_bracket_ask(&bracket, request, &err) < 0) {
        wtl_complain(&wtl_mark_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_mark_command = {
    .verb = "mark",
    .run = run_mark,
    .operands = "NAME",
    .summary = "begin the next stage of what \"wattle start\" measures",
    .text =
        "Ends the stage before and begins NAME, a region like those of programs. Stages of one\n"
        "name are one region.\n",
    .options = options,
    .examples = "wattle mark preparation\n"
                "wattle mark \"solve, second grid\"\n"
                "wattle mark --end\n",
    .usage_exit = WTL_EXIT_USAGE,
};
