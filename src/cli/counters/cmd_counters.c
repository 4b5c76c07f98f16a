/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle counters": which counter sets and events there are, and which of them this machine counts. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/counters/counter_list.h"
#include "report/style.h"

enum format { AS_TEXT, AS_JSON };

static const char *const format_names[] = {"text", "json", NULL};

struct request {
    enum format format;
    const char *host;
};

static const struct wtl_option options_table[] = {
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct request, format, format_names)},
    {0, "host", "DIR", "show a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int print(const struct wtl_counter_list *list, enum format format, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    int rc = format == AS_JSON ? wtl_counter_list_json(stdout, list)
                               : wtl_counter_list_text(stdout, &style, list);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_counters_command;
    struct wtl_command_line line;
    struct request request = {.format = AS_TEXT};
    struct wattle_error err = {""};
    struct wtl_counter_list list;
    struct wtl_world *recorded = NULL;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 1)
        return wtl_usage(command, "more than one set; name one, or none for all");
    int rc = request.host ? wtl_world_recorded(request.host, &recorded, &err) : 0;
    if (rc == 0) {
        rc = wtl_counter_list_open(&list, recorded ? recorded : wtl_world_real(),
                                   line.count > 0 ? line.words[0] : NULL, &err);
        rc = rc < 0 ? rc : print(&list, request.format, &err);
        wtl_counter_list_close(&list);
    }
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_counters_command = {
    .verb = "counters",
    .run = run,
    .operands = "[SET]",
    .summary = "list counter sets, and what this machine counts",
    .text = "Without SET, lists the sets for \"wattle run --counters\" and all events known by\n"
            "name; with SET, what is in it. Each is tried for a command and for the machine;\n"
            "what cannot be counted is shown with the reason and the remedy.\n",
    .options = options_table,
    .examples = "wattle counters\n"
                "wattle counters paper\n"
                "wattle counters ./my-set.ini\n"
                "wattle run --counters paper -- ./app\n",
    .usage_exit = WTL_EXIT_USAGE,
};
