/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle ab": one table, one reader, and the two commands. */
#include "cli/compare/ab_options.h"

#include <string.h>

#include "cli/commands.h"

enum { MOST_PAIRS = 10000, FEWEST_PAIRS = 5 };

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

static int take_line_a(const struct wtl_command *command, void *place, const char *value)
{
    (void)command;
    set_line(place, 0, value);
    return 0;
}

static int take_line_b(const struct wtl_command *command, void *place, const char *value)
{
    (void)command;
    set_line(place, 1, value);
    return 0;
}

const struct wtl_option wtl_ab_option_table[] = {
    {'a', "command-a", "LINE", "A as a line for \"sh -c\" instead of operands",
     WTL_CALLS_WITH_ALL(take_line_a)},
    {'b', "command-b", "LINE", "B likewise", WTL_CALLS_WITH_ALL(take_line_b)},
    {'m', "metric", "WHAT", "decide by energy, time, power or edp (default energy)",
     WTL_TAKES_CHOICE(struct wtl_ab_options, metric, wtl_metric_names)},
    {0, "resolve", "PART",
     "the difference that matters (default 1%): stop when\nit is shown that there is none as large",
     WTL_TAKES_PERCENT(struct wtl_ab_options, resolve)},
    {0, "min-pairs", "N", "check the result from pair N on (default 5)",
     WTL_TAKES_UNSIGNED(struct wtl_ab_options, min_pairs, FEWEST_PAIRS, MOST_PAIRS)},
    {0, "max-pairs", "N", "stop after N pairs at the latest (default 100)",
     WTL_TAKES_UNSIGNED(struct wtl_ab_options, max_pairs, FEWEST_PAIRS, MOST_PAIRS)},
    {0, "noise-pairs", "N", "pairs of A against A at the start (default 5); 0: no\nnoise floor",
     WTL_TAKES_UNSIGNED(struct wtl_ab_options, noise_pairs, 0, MOST_PAIRS)},
    {0, "noise-floor", "FILE",
     "read the noise floor from FILE, written by --save,\ninstead of measuring it",
     WTL_TAKES_INPUT(struct wtl_ab_options, noise_floor)},
    {0, "seed", "N", "seed of the random order (default: from the system)",
     WTL_TAKES_U64(struct wtl_ab_options, seed, 0, UINT64_MAX)},
    {'o', "output", "DIR", "keep the traces of all runs in DIR",
     WTL_TAKES_FILE(struct wtl_ab_options, folder)},
    {0, "show-output", NULL, "show the output of the commands on stderr",
     WTL_SETS(struct wtl_ab_options, show_output)},
    {0, "ignore-failure", NULL, "compare even if a command fails",
     WTL_SETS(struct wtl_ab_options, run.ignore_failure)},
    {0, "save", "FILE", "also write the JSON document to FILE",
     WTL_TAKES_TEXT(struct wtl_ab_options, save)},
    {0, "details", NULL, "also print channels, other methods and each run",
     WTL_SETS(struct wtl_ab_options, details)},
    WTL_OPTION_FORMAT(struct wtl_ab_options, format),
    WTL_RUN_OPTION_ROWS(struct wtl_ab_options, run),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static const struct wtl_command *const command = &wtl_ab_command;

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
        return wtl_usage(command, "give both commands with -a and -b, or both after \"--\"");
    if (lines && !(options->argv[0] && options->argv[1]))
        return wtl_usage(command, "-%c is missing: two commands are compared",
                         options->argv[0] ? 'b' : 'a');
    if (lines)
        return 0;
    if (borders > 1)
        return wtl_usage(
            command,
            "one \"--\" separates the two commands, not %d; give commands that contain "
            "\"--\" with -a and -b",
            borders);
    if (borders == 0 || border == 0 || border == count - 1)
        return wtl_usage(command, "two commands are needed: \"wattle ab -- A -- B\"");
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
                         char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_ab_options){.resolve = 0.01,
                                       .min_pairs = FEWEST_PAIRS,
                                       .max_pairs = 100,
                                       .noise_pairs = FEWEST_PAIRS,
                                       .seed = wtl_run_options_seed()};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    options->run.warmup = 1;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return command->usage_exit;
    int status = wtl_command_read(command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    status = cut(options, (int)line.count, line.words);
    status = status ? status : check(options);
    return status ? status : WTL_GO_ON;
}
