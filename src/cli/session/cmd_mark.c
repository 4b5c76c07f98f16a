/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle mark": start the next stage of a "wattle start" measurement. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/session/session_link.h"

struct mark_request {
    bool end;
};

static const struct wtl_option options[] = {
    {0, "end", NULL, "end the current stage without starting another",
     WTL_SETS(struct mark_request, end)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int run_mark(int argc, char **argv)
{
    struct wtl_command_line line;
    struct mark_request request = {.end = false};
    struct wtl_session_link bracket;
    struct wattle_error err = {""};
    char message[WTL_SESSION_LINK_MESSAGE];
    int status = wtl_command_read(&wtl_mark_command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    bool end = request.end;
    if (line.count != (end ? 0 : 1))
        return wtl_usage(&wtl_mark_command,
                         end ? "--end takes no NAME" : "expected one NAME, the stage to start");
    const char *name = end ? "" : line.words[0];
    if (!end && (!name[0] || strlen(name) > 255))
        return wtl_usage(&wtl_mark_command, "the stage name has %zu bytes; use 1 to 255",
                         strlen(name));
    (void)snprintf(message, sizeof message, end ? "end%s" : "mark %s", name);
    if (wtl_session_link_find(wtl_world_real(), &bracket, &err) < 0 ||
        wtl_session_link_ask(&bracket, message, &err) < 0) {
        wtl_complain(&wtl_mark_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_mark_command = {
    .verb = "mark",
    .run = run_mark,
    .operands = "NAME",
    .summary = "start the next stage of a \"wattle start\" measurement",
    .text = "Ends the current stage and starts NAME. A stage is a region, as programs mark\nthem; "
            "stages of the same name form one region.\n",
    .options = options,
    .examples = "wattle mark preparation\n"
                "wattle mark \"solve, second grid\"\n"
                "wattle mark --end\n",
    .usage_exit = WTL_EXIT_USAGE,
};
