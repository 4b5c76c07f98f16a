/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle ab": one table, one reader, and the two commands. */
#include "cli/ab_options.h"

#include <string.h>
#include <sys/random.h>

#include "cli/commands.h"

enum id {
    COMMAND_A = 1,
    COMMAND_B,
    METRIC,
    RESOLVE,
    MIN_PAIRS,
    MAX_PAIRS,
    NOISE_PAIRS,
    NOISE_FLOOR,
    SEED,
    OUTPUT,
    SHOW_OUTPUT,
    IGNORE_FAILURE,
    SAVE,
    FORMAT,
    OF_RUN /* of wtl_run_options_set() */
};

enum { MOST_PAIRS = 10000, FEWEST_PAIRS = 5 };

const struct wtl_option wtl_ab_option_table[] = {
    {COMMAND_A, 'a', "command-a", "LINE", "A as a line for \"sh -c\", instead of the operands"},
    {COMMAND_B, 'b', "command-b", "LINE", "B likewise"},
    {METRIC, 'm', "metric", "WHAT", "decide by energy, time, power or edp (default energy)"},
    {RESOLVE, 0, "resolve", "PART",
     "differences below PART do not matter (default 1%):\nstop when there is none as large"},
    {MIN_PAIRS, 0, "min-pairs", "N", "look at the result from N pairs on (default 5)"},
    {MAX_PAIRS, 0, "max-pairs", "N", "stop after N pairs in any case (default 100)"},
    {NOISE_PAIRS, 0, "noise-pairs", "N",
     "N pairs of A against A before (default 5); 0: no noise floor"},
    {NOISE_FLOOR, 0, "noise-floor", "FILE",
     "take the noise floor from FILE of an earlier --save\ninstead of measuring it"},
    {SEED, 0, "seed", "N", "of the random order (default: one of the system's)"},
    {OUTPUT, 'o', "output", "DIR", "keep the traces of all runs in DIR"},
    {SHOW_OUTPUT, 0, "show-output", NULL, "show what the commands print, on stderr"},
    {IGNORE_FAILURE, 0, "ignore-failure", NULL, "compare even when a command fails"},
    {SAVE, 0, "save", "FILE", "write the JSON document to FILE, too"},
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default text)"},
    WTL_RUN_OPTION_ROWS(OF_RUN),
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static const struct wtl_command *const command = &wtl_ab_command;

static int set_unsigned(const char *option,
                        const char *value,
                        uint64_t least,
                        uint64_t most,
                        unsigned *ret_value)
{
    uint64_t number;
    int status = wtl_option_u64(command, option, value, least, most, &number);
    if (status == 0)
        *ret_value = (unsigned)number;
    return status;
}

static void set_line(struct wtl_ab_options *options, int side, const char *line)
{
    static const char shell[] = "sh", flag[] = "-c";
    char **words = options->line[side];
    words[0] = (char *)(uintptr_t)shell;
    words[1] = (char *)(uintptr_t)flag;
    words[2] = (char *)(uintptr_t)line;
    words[3] = NULL;
    options->argv[side] = words;
}

static int set_text(struct wtl_ab_options *options, int id, const char *value)
{
    size_t choice = 0;
    int status = 0;
    if (id == COMMAND_A || id == COMMAND_B)
        set_line(options, id == COMMAND_B, value);
    else if (id == NOISE_FLOOR)
        options->noise_floor = value;
    else if (id == OUTPUT)
        options->folder = value;
    else if (id == SAVE)
        options->save = value;
    else if (id == METRIC && (status = wtl_option_choice(command, "--metric", value,
                                                         wtl_metric_names, &choice)) == 0)
        options->metric = (enum wtl_metric)choice;
    options->show_output |= id == SHOW_OUTPUT;
    options->run.ignore_failure |= id == IGNORE_FAILURE;
    return status;
}

/* 0, or the exit status of the usage error that was told. */
static int set_option(struct wtl_ab_options *options,
                      const struct wtl_option *row,
                      const char *value)
{
    switch (row->id) {
    case RESOLVE:
        return wtl_option_percent(command, "--resolve", value, 0, &options->resolve);
    case MIN_PAIRS:
        return set_unsigned("--min-pairs", value, FEWEST_PAIRS, MOST_PAIRS, &options->min_pairs);
    case MAX_PAIRS:
        return set_unsigned("--max-pairs", value, FEWEST_PAIRS, MOST_PAIRS, &options->max_pairs);
    case NOISE_PAIRS:
        return set_unsigned("--noise-pairs", value, 0, MOST_PAIRS, &options->noise_pairs);
    case SEED:
        return wtl_option_u64(command, "--seed", value, 0, UINT64_MAX, &options->seed);
    case FORMAT:
        return wtl_option_format(command, value, &options->format);
    case OF_RUN:
        return wtl_run_options_set(&options->run, row->name, value) < 0 ? command->usage_exit : 0;
    default:
        return set_text(options, row->id, value);
    }
}

/* The operands are A, "--", B. 0, or the exit status of the usage error. */
static int cut(struct wtl_ab_options *options, int count, char **words)
{
    int border = -1, borders = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "--") == 0) {
            border = i;
            borders++;
        }
    }
    bool lines = options->argv[0] || options->argv[1];
    if (lines && count > 0)
        return wtl_usage(command, "give both commands by -a and -b, or both behind \"--\"");
    if (lines && !(options->argv[0] && options->argv[1]))
        return wtl_usage(command, "-%c is missing: there are two commands to compare",
                         options->argv[0] ? 'b' : 'a');
    if (lines)
        return 0;
    if (borders > 1)
        return wtl_usage(command,
                         "\"--\" stands between the two commands, and here are %d; a command "
                         "that has one itself is given by -a or -b",
                         borders);
    if (borders == 0 || border == 0 || border == count - 1)
        return wtl_usage(command, "two commands are to be compared: \"wattle ab -- A -- B\"");
    words[border] = NULL;
    options->argv[0] = words;
    options->argv[1] = words + border + 1;
    return 0;
}

static int check(const struct wtl_ab_options *o)
{
    if (o->min_pairs > o->max_pairs)
        return wtl_usage(command, "--min-pairs %u is more than --max-pairs %u", o->min_pairs,
                         o->max_pairs);
    return 0;
}

int wtl_ab_options_parse(struct wtl_ab_options *options,
                         const struct wtl_config *config,
                         int argc,
                         char **argv,
                         int *ret_exit)
{
    struct wtl_options scan;
    const char *value;
    *options = (struct wtl_ab_options){
        .resolve = 0.01, .min_pairs = FEWEST_PAIRS, .max_pairs = 100, .noise_pairs = FEWEST_PAIRS};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    options->run.warmup = 1;
    *ret_exit = command->usage_exit;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return 1;
    /* 32 bits, so that it can be typed again. What is wanting of them, the clock makes up for. */
    uint32_t seed = (uint32_t)wtl_world_monotonic(wtl_world_real());
    (void)!getrandom(&seed, sizeof seed, GRND_NONBLOCK);
    options->seed = seed;
    wtl_options_init(&scan, command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        *ret_exit = id < 0 ? scan.exit_code : set_option(options, scan.row, value);
        if (id < 0 || *ret_exit)
            return 1;
    }
    *ret_exit = cut(options, argc - scan.operand, argv + scan.operand);
    *ret_exit = *ret_exit ? *ret_exit : check(options);
    return *ret_exit ? 1 : 0;
}
