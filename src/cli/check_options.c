/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle check": one table, one reader. */
#include "cli/check_options.h"

#include <math.h>
#include <stdlib.h>

#include "cli/commands.h"

enum id {
    MAX = 1,
    AGAINST,
    SAVE,
    METRIC,
    REPEAT,
    STRICT,
    ALLOW_UNKNOWN,
    JUNIT,
    OUTPUT,
    SHOW_OUTPUT,
    IGNORE_FAILURE,
    FORMAT,
    OF_RUN /* of wtl_run_options_set() */
};

/* By default as many runs as make a change of twice their variation visible. */
enum { DEFAULT_RUNS = 10 };

const struct wtl_option wtl_check_option_table[] = {
    {MAX, 0, "max", "PART", "so much more than the base is allowed: +2%, 0%, -5%"},
    {AGAINST, 0, "against", "BASE",
     "a trace, a folder of traces, or a JSON result of\n\"wattle run\" or --save; may be repeated"},
    {SAVE, 0, "save", "FILE", "write the runs to FILE, as a base for later checks"},
    {METRIC, 'm', "metric", "WHAT", "energy, time, power or edp (default energy)"},
    {REPEAT, 'r', "repeat", "N", "run the command N times (default 10, at least 5)"},
    {STRICT, 0, "strict", NULL, "pass only what is shown to be within the limit"},
    {ALLOW_UNKNOWN, 0, "allow-unknown", NULL, "pass, too, when it cannot be told"},
    {JUNIT, 0, "junit", "FILE", "write a test report to FILE, too"},
    {OUTPUT, 'o', "output", "DIR", "keep the traces of the runs in DIR"},
    {SHOW_OUTPUT, 0, "show-output", NULL, "show what the command prints, on stderr"},
    {IGNORE_FAILURE, 0, "ignore-failure", NULL, "go on when the command fails"},
    {FORMAT, 0, "format", "FORMAT", "text or json (default text)"},
    WTL_RUN_OPTION_ROWS(OF_RUN),
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static const struct wtl_command *const command = &wtl_check_command;

static int add_base(struct wtl_check_options *options, const char *path)
{
    const char **grown =
        realloc(options->against, (options->against_count + 1) * sizeof *options->against);
    if (!grown) {
        wtl_complain(command, "not enough memory");
        return WTL_EXIT_RUN_FAILED;
    }
    options->against = grown;
    grown[options->against_count++] = path;
    return 0;
}

static int set_choice(struct wtl_check_options *options, int id, const char *value)
{
    static const char *const formats[] = {"text", "json", NULL};
    size_t choice = 0;
    int status = id == METRIC
                     ? wtl_option_choice(command, "--metric", value, wtl_metric_names, &choice)
                     : wtl_option_choice(command, "--format", value, formats, &choice);
    if (status)
        return status;
    if (id == METRIC)
        options->metric = (enum wtl_metric)choice;
    else
        options->format = (enum wtl_format)choice;
    return 0;
}

static void set_plain(struct wtl_check_options *options, int id, const char *value)
{
    if (id == SAVE)
        options->save = value;
    else if (id == JUNIT)
        options->junit = value;
    else if (id == OUTPUT)
        options->folder = value;
    options->rules.strict |= id == STRICT;
    options->rules.allow_unknown |= id == ALLOW_UNKNOWN;
    options->show_output |= id == SHOW_OUTPUT;
    options->run.ignore_failure |= id == IGNORE_FAILURE;
}

/* 0, or the exit status of the usage error that was told. */
static int set_option(struct wtl_check_options *options,
                      const struct wtl_option *row,
                      const char *value)
{
    uint64_t runs = 0;
    int status = 0;
    switch (row->id) {
    case MAX:
        return wtl_option_percent(command, "--max", value, -1, &options->limit);
    case AGAINST:
        return add_base(options, value);
    case METRIC:
    case FORMAT:
        return set_choice(options, row->id, value);
    case REPEAT:
        status = wtl_option_u64(command, "--repeat", value, WTL_COMPARISON_RUNS, 10000, &runs);
        options->run.repeat = status ? options->run.repeat : (unsigned)runs;
        return status;
    case OF_RUN:
        return wtl_run_options_set(&options->run, row->name, value) < 0 ? command->usage_exit : 0;
    default:
        set_plain(options, row->id, value);
        return 0;
    }
}

/* 0, or the exit status of what makes no sense together. */
static int check(const struct wtl_check_options *o)
{
    if (!o->run.argv)
        return wtl_usage(command, "nothing to measure: give a command after \"--\"");
    if (o->against_count == 0 && !o->save)
        return wtl_usage(command, "--against BASE is missing; --save FILE makes a base");
    if (o->against_count > 0 && isnan(o->limit))
        return wtl_usage(command, "--max is missing: how much more than the base is allowed, for "
                                  "example +2%%");
    if (o->against_count == 0 && (o->junit || !isnan(o->limit)))
        return wtl_usage(command, "--max and --junit need a base: --against BASE");
    return 0;
}

int wtl_check_options_parse(struct wtl_check_options *options,
                            const struct wtl_config *config,
                            int argc,
                            char **argv,
                            int *ret_exit)
{
    struct wtl_options scan;
    const char *value;
    *options = (struct wtl_check_options){.limit = NAN};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    options->run.warmup = 1;
    options->run.repeat = DEFAULT_RUNS;
    *ret_exit = command->usage_exit;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return 1;
    wtl_options_init(&scan, command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        *ret_exit = id < 0 ? scan.exit_code : set_option(options, scan.row, value);
        if (id < 0 || *ret_exit)
            return 1;
    }
    if (scan.operand < argc)
        options->run.argv = argv + scan.operand;
    *ret_exit = check(options);
    return *ret_exit ? 1 : 0;
}

void wtl_check_options_fini(struct wtl_check_options *options)
{
    free(options->against);
    options->against = NULL;
    options->against_count = 0;
}
