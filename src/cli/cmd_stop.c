/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle stop": the end of what "wattle start" began; the measuring process prints its result here. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "cli/bracket.h"
#include "cli/commands.h"

enum { FORMAT = 1 };

static const struct wtl_option options[] = {
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default: that of \"wattle start\")"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static int run_stop(int argc, char **argv)
{
    struct wtl_options scan;
    struct wtl_bracket bracket;
    struct wattle_error err = {""};
    char request[64] = "stop default";
    const char *value;
    enum wtl_format format;
    wtl_options_init(&scan, &wtl_stop_command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        if (id < 0)
            return scan.exit_code;
        int status = wtl_option_format(&wtl_stop_command, value, &format);
        if (status)
            return status;
        (void)snprintf(request, sizeof request, "stop %s", value);
    }
    if (scan.operand < argc)
        return wtl_usage(&wtl_stop_command, "\"%s\": stop takes no operand", argv[scan.operand]);
    if (wtl_bracket_find(wtl_world_real(), &bracket, &err) < 0 ||
        wtl_bracket_ask(&bracket, request, &err) < 0) {
        wtl_complain(&wtl_stop_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_stop_command = {
    .verb = "stop",
    .run = run_stop,
    .operands = "",
    .summary = "end what \"wattle start\" measures, and print it",
    .text =
        "Prints on stdout what \"wattle run\" would print; the trace is whole when it returns.\n",
    .options = options,
    .examples = "wattle stop\n"
                "wattle stop --format json >stages.json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
