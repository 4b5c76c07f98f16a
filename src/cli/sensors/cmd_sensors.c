/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle sensors": which sensors this machine has, which cannot be read, why, and how to fix it. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/sensors/sensor_list.h"
#include "cli/settings.h"
#include "record/replay.h"
#include "source/registry.h"

struct sensors_request {
    const char *which, *host;
    enum wtl_format format;
    bool probe;
};

static const struct wtl_option options_table[] = {
    {'s', "sensor", "LIST", "only these: NAME[:key=value],..., or \"all\"",
     WTL_TAKES_INPUT(struct sensors_request, which)},
    WTL_OPTION_FORMAT(struct sensors_request, format),
    {0, "no-probe", NULL, "do not measure read cost and update rate, which\ntakes a few seconds",
     WTL_CLEARS(struct sensors_request, probe)},
    {0, "host", "DIR", "show a recorded host instead of this machine;\nimplies --no-probe",
     WTL_TAKES_TEXT(struct sensors_request, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int print(const struct wtl_sensor_list *list,
                 enum wtl_format format,
                 struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    int rc;
    if (format == WTL_FORMAT_JSON)
        rc = wtl_sensor_list_json(stdout, list);
    else if (format == WTL_FORMAT_CSV)
        rc = wtl_sensor_list_csv(stdout, list);
    else
        rc = wtl_sensor_list_text(stdout, &style, list);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
}

static int show(const struct sensors_request *request,
                const struct wtl_world *world,
                struct wattle_error *err)
{
    struct wtl_cli_settings settings;
    struct wtl_sensor_list list = {0};
    struct utsname name;
    int rc = wtl_cli_settings_load(&settings, world, err);
    if (rc < 0)
        return rc;
    struct wtl_request open = {.drivers = wtl_drivers,
                               .which = request->which,
                               .settings = &settings.drivers,
                               .activity = true};
    rc = wtl_replay_or_select(&open, world, &list.selection, err);
    if (rc == 0 && world->ops->uname(world, &name) == 0)
        (void)snprintf(list.host, sizeof list.host, "%.64s", name.nodename);
    /* The read cost on a recorded host says nothing about that host. */
    if (rc == 0 && request->probe && !world->virtual_time && wtl_sensor_list_probe(&list) < 0)
        rc = wtl_no_memory(err);
    rc = rc < 0 ? rc : print(&list, request->format, err);
    wtl_sensor_list_fini(&list);
    wtl_selection_close(list.selection);
    wtl_cli_settings_fini(&settings);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_sensors_command;
    struct sensors_request request = {.format = WTL_FORMAT_TEXT, .probe = true};
    struct wtl_command_line line;
    struct wtl_world *recorded = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    int rc = request.host ? wtl_world_recorded(request.host, &recorded, &err) : 0;
    if (rc == 0)
        rc = show(&request, request.host ? recorded : wtl_world_real(), &err);
    wtl_world_close(recorded);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc == -EINVAL ? WTL_EXIT_USAGE : rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_sensors_command = {
    .verb = "sensors",
    .run = run,
    .operands = "",
    .summary = "list sensors, and why some cannot be read",
    .text = "For each unavailable sensor: what is missing and how to fix it. For each\nchannel: "
            "its quality, whether it is part of the total, the cost of one read,\nand how often "
            "its value changes, as documented and as measured. For sensor\nsettings see "
            "wattle-sensors(7) and \"wattle config sensor\".\n",
    .options = options_table,
    .examples = "wattle sensors\n"
                "wattle sensors --sensor powercap,hwmon --no-probe\n"
                "wattle sensors --format json | jq '.drivers[] | {name, state, why}'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
