/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of "wattle sweep": one table, one reader. */
#include "cli/sweep/sweep_options.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/commands.h"

enum { DEFAULT_BLOCKS = 5 };

/* Of --turbo; "leave" is what a sweep without it does. */
static int take_turbo(const struct wtl_command *command, void *place, const char *value)
{
    unsigned *turbo = place;
    for (unsigned i = WTL_SWEEP_TURBO_ON; wtl_sweep_turbo_names[i]; i++) {
        if (strcmp(value, wtl_sweep_turbo_names[i]) == 0) {
            *turbo = i;
            return 0;
        }
    }
    return wtl_usage(command, "--turbo %s: give on, off or both", value);
}

const struct wtl_option wtl_sweep_option_table[] = {
    {'F', "freq", "LIST",
     "frequencies: values and ranges with a step, such as\n1.2-2.3GHz:0.1 or min,1.8GHz,max",
     WTL_TAKES_TEXT(struct wtl_sweep_options, frequencies)},
    {0, "turbo", "WHICH",
     "on or off at all frequencies; both: off, and one more\nsetting with it (default: as it is)",
     WTL_CALLS(struct wtl_sweep_options, turbo, take_turbo)},
    {0, "power-limit", "LIST", "power limits of each package, such as 80-140W:20",
     WTL_TAKES_TEXT(struct wtl_sweep_options, limits)},
    {0, "threads", "LIST",
     "numbers of threads, such as 1,2,4: the command gets\nthem in OMP_NUM_THREADS",
     WTL_TAKES_TEXT(struct wtl_sweep_options, threads)},
    {'r', "repeat", "N", "blocks: each has every setting once, in random order\n(default 5)",
     WTL_TAKES_UNSIGNED(struct wtl_sweep_options, run.repeat, 1, WTL_SWEEP_BLOCKS)},
    {0, "slowdown", "PART",
     "also find the least energy of the settings that are at\nmost PART slower than the fastest "
     "(default 5%)",
     WTL_TAKES_PERCENT(struct wtl_sweep_options, slowdown)},
    {'m', "metric", "METRIC",
     "also find the best for METRIC, as \"wattle pose\" takes\nit: Et^2, EDS:1,200, an expression "
     "in E and t",
     WTL_TAKES_TEXT(struct wtl_sweep_options, metric)},
    {0, "seed", "N", "seed of the random order (default: from the system)",
     WTL_TAKES_U64(struct wtl_sweep_options, seed, 0, UINT64_MAX)},
    {'o', "output", "DIR",
     "keep the plan and all traces in DIR (default: a new\nfolder wattle-HOST-TIME-PID-sweep)",
     WTL_TAKES_FILE(struct wtl_sweep_options, folder)},
    {0, "resume", "DIR",
     "go on with the sweep in DIR, with its settings and\ncommand; with --repeat N, up to N blocks",
     WTL_TAKES_FILE(struct wtl_sweep_options, resume)},
    {0, "no-run", NULL, "with --resume: run nothing, print what there is",
     WTL_SETS(struct wtl_sweep_options, no_run)},
    {0, "block", "N", "with --resume: run only block N, print nothing",
     WTL_TAKES_UNSIGNED(struct wtl_sweep_options, block, 1, WTL_SWEEP_BLOCKS)},
    {0, "slurm", NULL, "submit it as a job array to Slurm, each block on one\nnode of its own",
     WTL_SETS(struct wtl_sweep_options, slurm)},
    {0, "sbatch", "OPTION", "with --slurm: an option for sbatch, such as\n-pshort; repeatable",
     WTL_TAKES_LIST(struct wtl_sweep_options, sbatch)},
    {0, "plot", "FILE", "draw energy against time to FILE.svg, .pdf or .png",
     WTL_TAKES_TEXT(struct wtl_sweep_options, plot)},
    {0, "save", "FILE", "also write the JSON document to FILE",
     WTL_TAKES_TEXT(struct wtl_sweep_options, save)},
    {0, "show-output", NULL, "show the output of the command on stderr",
     WTL_SETS(struct wtl_sweep_options, show_output)},
    {0, "ignore-failure", NULL, "count runs even if the command fails",
     WTL_SETS(struct wtl_sweep_options, run.ignore_failure)},
    {0, "details", NULL, "also print the curve of each sensor",
     WTL_SETS(struct wtl_sweep_options, details)},
    WTL_OPTION_FORMAT(struct wtl_sweep_options, format),
    WTL_RUN_OPTION_ROWS(struct wtl_sweep_options, run),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static const struct wtl_command *const command = &wtl_sweep_command;

/* What a sweep that goes on takes from its plan. */
static const char *const planned[] = {
    "freq",           "turbo",  "power-limit", "threads",  "seed",     "output", "slurm",
    "ignore-failure", "warmup", "sensor",      "interval", "cooldown", NULL};

static int check_resumed(const struct wtl_command_line *line)
{
    const char *given = wtl_option_first_given(command, line, planned);
    if (given)
        return wtl_usage(command, "--%s and --resume: the sweep goes on as it was planned", given);
    if (line->count > 0)
        return wtl_usage(command, "--resume takes the command from the plan; give none");
    return 0;
}

static int check_begun(const struct wtl_sweep_options *o, const struct wtl_command_line *line)
{
    bool varies = o->frequencies || o->threads || o->limits || o->turbo == WTL_SWEEP_TURBO_BOTH;
    if (line->count == 0)
        return wtl_usage(command, "no command; \"wattle sweep --freq 1.2-2.3GHz:0.1 -- COMMAND\"");
    if (o->block > 0 || o->no_run)
        return wtl_usage(command, "--block and --no-run need --resume DIR");
    if (!o->slurm && o->sbatch.count > 0)
        return wtl_usage(command, "--sbatch needs --slurm");
    if (!varies)
        return wtl_usage(command,
                         "nothing to vary: give --freq, --power-limit, --threads or --turbo both");
    return 0;
}

/* The form of a new sweep. */
static int fill_form(struct wtl_sweep_options *o, const struct wtl_command_line *line)
{
    struct wtl_sweep_order_form *form = &o->form;
    *form = (struct wtl_sweep_order_form){.seed = o->seed,
                                          .blocks = o->run.repeat,
                                          .warmup = o->run.warmup,
                                          .ignore_failure = o->run.ignore_failure,
                                          .slowdown = o->slowdown,
                                          .interval_ns = o->run.interval_ns,
                                          .cooldown_ns = o->run.cooldown_ns,
                                          .turbo = o->turbo};
    int rc = wtl_sweep_form_text(&form->frequencies, o->frequencies);
    rc = rc < 0 ? rc : wtl_sweep_form_text(&form->threads, o->threads);
    rc = rc < 0 ? rc : wtl_sweep_form_text(&form->limits, o->limits);
    rc = rc < 0 ? rc : wtl_sweep_form_text(&form->metric, o->metric);
    rc = rc < 0 ? rc : wtl_sweep_form_text(&form->sensors, o->run.sensors);
    for (size_t i = 0; rc == 0 && i < line->count; i++)
        rc = wtl_sweep_form_word(form, line->words[i]);
    if (rc == -E2BIG)
        return wtl_usage(command, "more than %d words in the command; use a script",
                         WTL_SWEEP_WORDS);
    if (rc < 0)
        wtl_complain(command, "out of memory");
    return rc < 0 ? WTL_EXIT_RUN_FAILED : 0;
}

/* The form of the plan, with what may be changed later. */
static int read_form(struct wtl_sweep_options *o, const struct wtl_command_line *line)
{
    struct wattle_error err = {""};
    int rc = wtl_sweep_file_read(o->resume, &o->form, &err);
    if (rc < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_RUN_FAILED;
    }
    if (wtl_option_given(command, line, "repeat"))
        o->form.blocks = o->run.repeat;
    if (wtl_option_given(command, line, "slowdown"))
        o->form.slowdown = o->slowdown;
    if (o->metric && wtl_sweep_form_text(&o->form.metric, o->metric) < 0) {
        wtl_complain(command, "out of memory");
        return WTL_EXIT_RUN_FAILED;
    }
    if (o->block > o->form.blocks)
        return wtl_usage(command, "--block %u: the sweep has %u blocks", o->block, o->form.blocks);
    o->folder = o->resume;
    return 0;
}

int wtl_sweep_options_parse(struct wtl_sweep_options *options,
                            const struct wtl_config *config,
                            int argc,
                            char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_sweep_options){.slowdown = 0.05, .seed = wtl_run_options_seed()};
    wtl_run_options_init(&options->run);
    options->run.command = command;
    options->run.warmup = 1;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return command->usage_exit;
    options->run.repeat = DEFAULT_BLOCKS;
    int status = wtl_command_read(command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    status = options->resume ? check_resumed(&line) : check_begun(options, &line);
    if (status == 0)
        status = options->resume ? read_form(options, &line) : fill_form(options, &line);
    if (status != 0)
        return status;
    options->run.interval_ns = options->form.interval_ns;
    options->run.cooldown_ns = options->form.cooldown_ns;
    options->run.warmup = options->form.warmup;
    options->run.ignore_failure = options->form.ignore_failure;
    options->run.sensors = options->form.sensors;
    options->run.argv = options->form.words;
    return WTL_GO_ON;
}

void wtl_sweep_options_fini(struct wtl_sweep_options *options)
{
    wtl_sweep_form_fini(&options->form);
    free(options->sbatch.items);
    options->sbatch = (struct wtl_words){0};
}
