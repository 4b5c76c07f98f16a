/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle doctor": what this machine can measure, what prevents it, and how to fix it. */
#include "cli/commands.h"

#include <errno.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/doctor/doctor.h"
#include "cli/settings.h"
#include "source/registry.h"

/* Exit statuses in addition to those of all verbs. */
enum { ONLY_ESTIMATE = 3, NOTHING = 4 };

struct request {
    const char *host;
    enum wtl_format format;
    bool all;
};

static const char *const formats[] = {"text", "json", NULL};

static const struct wtl_option options_table[] = {
    {'a', "all", NULL, "also show checks that passed or do not apply",
     WTL_SETS(struct request, all)},
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct request, format, formats)},
    {0, "host", "DIR", "check a recorded host instead of this machine",
     WTL_TAKES_TEXT(struct request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* Returns the exit status, or -errno with a message. */
static int examine(const struct request *request,
                   const struct wtl_world *world,
                   struct wattle_error *err)
{
    struct wtl_cli_settings settings;
    struct wtl_selection *selection = NULL;
    struct wtl_doctor doctor = {0};
    int rc = wtl_cli_settings_load(&settings, world, err);
    if (rc < 0)
        return rc;
    struct wtl_request open = {
        .drivers = wtl_drivers, .settings = &settings.drivers, .activity = true};
    struct wtl_style style = wtl_style_of(stdout);
    rc = wtl_selection_open(&open, world, &selection, err);
    if (rc == 0) {
        rc = wtl_doctor_examine(&doctor, world, selection);
        if (rc == 0)
            rc = request->format == WTL_FORMAT_JSON
                     ? wtl_doctor_json(stdout, &doctor)
                     : wtl_doctor_text(stdout, &style, &doctor, request->all);
        rc = rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
    }
    if (rc == 0 && !doctor.measured)
        rc = selection->total.count ? ONLY_ESTIMATE : NOTHING;
    wtl_doctor_fini(&doctor);
    wtl_selection_close(selection);
    wtl_cli_settings_fini(&settings);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_doctor_command;
    struct request request = {0};
    struct wtl_command_line line;
    struct wtl_world *recorded = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    int rc = request.host ? wtl_world_recorded(request.host, &recorded, &err) : 0;
    if (rc == 0)
        rc = examine(&request, request.host ? recorded : wtl_world_real(), &err);
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : rc;
}

const struct wtl_command wtl_doctor_command = {
    .verb = "doctor",
    .run = run,
    .operands = "",
    .summary = "find what prevents measuring, and how to fix it",
    .text =
        "Checks sensors, permissions, container, virtual machine, kernel and limits.\nChanges "
        "nothing.\nExit status: 0 energy can be measured, 3 it can only be estimated, 4 neither.\n",
    .options = options_table,
    .examples =
        "wattle doctor\n"
        "wattle doctor --format json | jq '.checks[] | select(.state == \"stands in the way\")'\n"
        "wattle doctor >/dev/null || echo 'no measurement here'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
