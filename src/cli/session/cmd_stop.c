/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle stop": end a "wattle start" measurement; the measuring process prints its result here. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/session/session_link.h"

struct stop_request {
    enum wtl_format format;
    bool verbose;
};

static const struct wtl_option options[] = {
    {0, "format", "FORMAT", "text, json or csv (default: that of \"wattle start\")",
     WTL_TAKES_CHOICE(struct stop_request, format, wtl_format_names)},
    WTL_OPTION_VERBOSE(struct stop_request, verbose),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int run_stop(int argc, char **argv)
{
    struct wtl_command_line line;
    struct stop_request request = {.format = WTL_FORMAT_TEXT};
    struct wtl_session_link bracket;
    struct wattle_error err = {""};
    char message[64];
    int status = wtl_command_read(&wtl_stop_command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    (void)snprintf(message, sizeof message, "stop %s%s",
                   wtl_option_given(&wtl_stop_command, &line, "format")
                       ? wtl_format_names[request.format]
                       : "default",
                   request.verbose ? " verbose" : "");
    if (wtl_session_link_find(wtl_world_real(), &bracket, &err) < 0 ||
        wtl_session_link_ask(&bracket, message, &err) < 0) {
        wtl_complain(&wtl_stop_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_stop_command = {
    .verb = "stop",
    .run = run_stop,
    .operands = "",
    .summary = "stop a \"wattle start\" measurement and print its result",
    .text =
        "Prints the result on stdout, as \"wattle run\" does. The trace is complete on\nreturn.\n",
    .options = options,
    .examples = "wattle stop\n"
                "wattle stop --format json >stages.json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
