/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle check": one table, one reader. */
#include "cli/compare/check_options.h"

#include <math.h>
#include <stdlib.h>

#include "cli/commands.h"

/* The default shows a change of twice the variation of the runs. */
enum { DEFAULT_RUNS = 10 };

static const char *const formats[] = {"text", "json", NULL};

static int take_limit(const struct wtl_command *command, void *place, const char *value)
{
    return wtl_option_percent(command, "--max", value, -1, place);
}

const struct wtl_option wtl_check_option_table[] = {
    {0, "max", "PART", "allowed change from the base: +2%, 0%, -5%",
     WTL_CALLS(struct wtl_check_options, limit, take_limit)},
    {0, "against", "BASE",
     "a trace, a folder of traces, or a JSON result of\n\"wattle run\" or --save; may be repeated",
     WTL_TAKES_LIST(struct wtl_check_options, against), .is_input = true},
    {0, "save", "FILE", "write the runs to FILE as a base for later checks",
     WTL_TAKES_TEXT(struct wtl_check_options, save)},
    {'m', "metric", "WHAT", "energy, time, power or edp (default energy)",
     WTL_TAKES_CHOICE(struct wtl_check_options, metric, wtl_metric_names)},
    {'r', "repeat", "N", "run the command N times (default 10, at least 5)",
     WTL_TAKES_UNSIGNED(struct wtl_check_options, run.repeat, WTL_COMPARISON_RUNS, 10000)},
    {0, "strict", NULL, "pass only what is shown to be within the limit",
     WTL_SETS(struct wtl_check_options, rules.strict)},
    {0, "allow-unknown", NULL, "also pass if the result is unknown",
     WTL_SETS(struct wtl_check_options, rules.allow_unknown)},
    {0, "junit", "FILE", "also write a JUnit test report to FILE",
     WTL_TAKES_TEXT(struct wtl_check_options, junit)},
    {'o', "output", "DIR", "keep the traces of the runs in DIR",
     WTL_TAKES_FILE(struct wtl_check_options, folder)},
    {0, "show-output", NULL, "show the output of the command on stderr",
     WTL_SETS(struct wtl_check_options, show_output)},
    {0, "ignore-failure", NULL, "continue if the command fails",
     WTL_SETS(struct wtl_check_options, run.ignore_failure)},
    {0, "details", NULL, "also print other methods and each run",
     WTL_SETS(struct wtl_check_options, details)},
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct wtl_check_options, format, formats)},
    WTL_RUN_OPTION_ROWS(struct wtl_check_options, run),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static const struct wtl_command *const command = &wtl_check_command;

/* 0, or the exit status of a usage error. */
static int check(const struct wtl_check_options *o)
{
    if (!o->run.argv)
        return wtl_usage(command, "a command is missing: give it after \"--\"");
    if (o->against.count == 0 && !o->save)
        return wtl_usage(command, "--against BASE is missing; --save FILE makes a base");
    if (o->against.count > 0 && isnan(o->limit))
        return wtl_usage(command, "--max is missing: the allowed change from the base, for "
                                  "example +2%%");
    if (o->against.count == 0 && (o->junit || !isnan(o->limit)))
        return wtl_usage(command, "--max and --junit need a base: --against BASE");
    return 0;
}

int wtl_check_options_parse(struct wtl_check_options *options,
                            const struct wtl_config *config,
                            int argc,
                            char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_check_options){.limit = NAN};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    options->run.warmup = 1;
    options->run.repeat = DEFAULT_RUNS;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return command->usage_exit;
    int status = wtl_command_read(command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        options->run.argv = line.words;
    status = check(options);
    return status ? status : WTL_GO_ON;
}

void wtl_check_options_fini(struct wtl_check_options *options)
{
    free(options->against.items);
    options->against = (struct wtl_words){0};
}
