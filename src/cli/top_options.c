/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle top": one table, one reader, and the combinations that make no sense. */
#include "cli/top_options.h"

#include <math.h>
#include <string.h>

#include "base/parse.h"
#include "cli/commands.h"

enum id {
    INTERVAL = 1,
    COUNT,
    BATCH,
    FORMAT,
    SENSOR,
    OUTPUT,
    FORCE,
    SAMPLE,
    SORT,
    FILTER,
    PROCESSES,
    NO_PROCESSES,
    IDLE,
    ASCII,
    HOST
};

const struct wtl_option wtl_top_option_table[] = {
    {INTERVAL, 'i', "interval", "DUR", "look every DUR (default 1s)"},
    {COUNT, 'n', "count", "N", "end after N looks"},
    {BATCH, 'b', "batch", NULL, "print lines, as without a terminal"},
    {FORMAT, 0, "format", "FORMAT",
     "text, json or csv (default text): of lines; json and\ncsv mean --batch"},
    {SORT, 0, "sort", "KEY", "processes by power, energy, cpu, name, pid or user\n(default power)"},
    {FILTER, 0, "filter", "TEXT", "only processes with TEXT in command or user"},
    {PROCESSES, 0, "processes", "N", "so many of them in json and csv (default 10)"},
    {NO_PROCESSES, 0, "no-processes", NULL, "do not look at processes"},
    {IDLE, 0, "idle", "W", "the idle machine draws W watts, for shares of processes"},
    {SENSOR, 's', "sensor", "LIST",
     "use only these sensors: NAME[:key=value],...\n\"wattle sensors\" lists them"},
    {SAMPLE, 0, "sample", "DUR", "sample the sensors every DUR (default 100ms)"},
    {OUTPUT, 'o', "output", "FILE", "write a trace to FILE, too"},
    {FORCE, 0, "force", NULL, "replace a file that is there"},
    {ASCII, 0, "ascii", NULL, "draw with ASCII only"},
    {HOST, 0, "host", "DIR",
     "a recorded host instead of this machine, in virtual\ntime; only with --count"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static int watts(const struct wtl_command *command, const char *text, double *ret_w)
{
    if (wtl_parse_double(text, ret_w) == 0 && *ret_w >= 0)
        return 0;
    return wtl_usage(command, "--idle %s: not a number of watts, as 35 or 35.5", text);
}

static int set_number(struct wtl_top_options *o, int id, const char *value)
{
    const struct wtl_command *command = &wtl_top_command;
    size_t choice = 0;
    int status = 0;
    switch (id) {
    case INTERVAL:
        return wtl_option_duration(command, "--interval", value, true, &o->interval_ns);
    case SAMPLE:
        return wtl_option_duration(command, "--sample", value, true, &o->sample_ns);
    case COUNT:
        return wtl_option_u64(command, "--count", value, 1, UINT32_MAX, &o->count);
    case PROCESSES:
        return wtl_option_u64(command, "--processes", value, 0, UINT32_MAX, &o->processes);
    case IDLE:
        return watts(command, value, &o->idle_w);
    case FORMAT:
        return wtl_option_format(command, value, &o->format);
    case SORT:
        status = wtl_option_choice(command, "--sort", value, wtl_live_sort_names, &choice);
        o->sort = (enum wtl_live_sort)choice;
        return status;
    default:
        return 0;
    }
}

static void set_text(struct wtl_top_options *o, int id, const char *value)
{
    const struct {
        int id;
        const char **place;
    } texts[] = {
        {SENSOR, &o->sensors}, {OUTPUT, &o->output}, {HOST, &o->host}, {FILTER, &o->filter}};
    const struct {
        int id;
        bool *place;
    } words[] = {{BATCH, &o->batch},
                 {FORCE, &o->force},
                 {ASCII, &o->ascii},
                 {NO_PROCESSES, &o->no_processes}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].id == id)
            *texts[i].place = value;
        if (words[i].id == id)
            *words[i].place = true;
    }
}

/* 0, or the usage exit status once told. */
static int check(const struct wtl_top_options *o, int operands)
{
    const struct wtl_command *command = &wtl_top_command;
    if (operands > 1)
        return wtl_usage(command, "one trace can be followed, %d are named", operands);
    if (o->interval_ns < 50000000)
        return wtl_usage(command,
                         "--interval: less than 50 ms is more than eyes and pipes can use; "
                         "\"wattle run -i\" samples faster");
    if (o->trace && (o->sensors || o->output || o->host))
        return wtl_usage(command,
                         "a trace that is followed has its own sensors: --sensor, --output "
                         "and --host do not go with it");
    if (o->host && o->count == 0)
        return wtl_usage(command, "--host replays a recorded machine in no time: it needs --count");
    if (o->filter && strlen(o->filter) >= sizeof((struct wtl_live_view *)0)->filter)
        return wtl_usage(command, "--filter: more than 63 bytes");
    return 0;
}

int wtl_top_options_parse(struct wtl_top_options *options, int argc, char **argv, int *ret_exit)
{
    struct wtl_options scan;
    const char *value;
    *options = (struct wtl_top_options){
        .interval_ns = 1000000000, .sample_ns = 100000000, .processes = 10, .idle_w = NAN};
    wtl_options_init(&scan, &wtl_top_command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        if (id < 0) {
            *ret_exit = scan.exit_code;
            return 1;
        }
        set_text(options, id, value);
        if ((*ret_exit = set_number(options, id, value)))
            return 1;
    }
    if (scan.operand < argc)
        options->trace = argv[scan.operand];
    if (options->format != WTL_FORMAT_TEXT || options->host)
        options->batch = true;
    *ret_exit = check(options, argc - scan.operand);
    return *ret_exit != 0;
}
