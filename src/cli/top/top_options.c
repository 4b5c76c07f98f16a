/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle top": one table, one reader, and the invalid combinations. */
#include "cli/top/top_options.h"

#include <math.h>
#include <string.h>

#include "base/parse.h"
#include "cli/commands.h"
#include "cli/run/run_options.h"

static int take_watts(const struct wtl_command *command, void *place, const char *text)
{
    double *w = place;
    if (wtl_parse_double(text, w) == 0 && *w >= 0)
        return 0;
    return wtl_usage(command, "--idle %s: not a number of watts such as 35 or 35.5", text);
}

const struct wtl_option wtl_top_option_table[] = {
    {'i', "interval", "DUR", "update every DUR (default 1s)",
     WTL_TAKES_INTERVAL(struct wtl_top_options, interval_ns, 1)},
    {'n', "count", "N", "exit after N updates",
     WTL_TAKES_U64(struct wtl_top_options, count, 1, UINT32_MAX)},
    {'b', "batch", NULL, "print lines instead of a full-screen view",
     WTL_SETS(struct wtl_top_options, batch)},
    {0, "format", "FORMAT",
     "format of lines: text, json or csv (default text);\njson and csv imply --batch",
     WTL_TAKES_CHOICE(struct wtl_top_options, format, wtl_format_names)},
    {0, "sort", "KEY", "sort processes by power, energy, cpu, name, pid or\nuser (default power)",
     WTL_TAKES_CHOICE(struct wtl_top_options, sort, wtl_live_sort_names)},
    {0, "filter", "TEXT", "show only processes with TEXT in command or user",
     WTL_TAKES_TEXT(struct wtl_top_options, filter)},
    {0, "processes", "N", "number of processes in json and csv (default 10)",
     WTL_TAKES_U64(struct wtl_top_options, processes, 0, UINT32_MAX)},
    {0, "no-processes", NULL, "do not show processes",
     WTL_SETS(struct wtl_top_options, no_processes)},
    {0, "idle", "W", "idle power in watts, for shares of processes",
     WTL_CALLS(struct wtl_top_options, idle_w, take_watts)},
    WTL_RUN_OPTION_SENSOR(struct wtl_top_options, sensors),
    {0, "sample", "DUR", "sample the sensors every DUR (default 100ms)",
     WTL_TAKES_DURATION(struct wtl_top_options, sample_ns, 1)},
    {'o', "output", "FILE", "also write a trace to FILE",
     WTL_TAKES_FILE(struct wtl_top_options, output)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct wtl_top_options, force)},
    {0, "ascii", NULL, "use ASCII characters only", WTL_SETS(struct wtl_top_options, ascii)},
    {0, "host", "DIR",
     "show a recorded host instead of this machine, in\nvirtual time; requires --count",
     WTL_TAKES_TEXT(struct wtl_top_options, host)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* Returns 0, or the exit status of the usage error after a message. */
static int check(const struct wtl_top_options *o, size_t operands)
{
    const struct wtl_command *command = &wtl_top_command;
    if (operands > 1)
        return wtl_usage(command, "expected one trace, but %zu are given", operands);
    if (o->interval_ns < 50000000)
        return wtl_usage(
            command, "--interval must be at least 50 ms; to sample faster use \"wattle run -i\"");
    if (o->trace && (o->sensors || o->output || o->host))
        return wtl_usage(command, "--sensor, --output and --host cannot be used with a trace");
    if (o->host && o->count == 0)
        return wtl_usage(command, "--host replays a recorded machine and requires --count");
    if (o->filter && strlen(o->filter) >= sizeof((struct wtl_live_view *)0)->filter)
        return wtl_usage(command, "--filter: longer than 63 bytes");
    return 0;
}

int wtl_top_options_parse(struct wtl_top_options *options, int argc, char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_top_options){
        .interval_ns = 1000000000, .sample_ns = 100000000, .processes = 10, .idle_w = NAN};
    int status = wtl_command_read(&wtl_top_command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        options->trace = line.words[0];
    if (options->format != WTL_FORMAT_TEXT || options->host)
        options->batch = true;
    status = check(options, line.count);
    return status ? status : WTL_GO_ON;
}
