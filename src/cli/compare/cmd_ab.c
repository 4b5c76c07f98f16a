/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle ab": warm-up, a noise floor of A against A, then pairs of A and B in random order until the
 * question is answered. analysis/compare/pairs.h decides after each pair, analysis/compare/ab.h
 * computes the result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/compare/ab.h"
#include "analysis/compare/metric.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/grow.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run/command_line.h"
#include "cli/run/progress.h"
#include "cli/run/run_options.h"
#include "cli/run/trials.h"
#include "report/compare/noise_floor.h"
#include "report/compare/report_ab.h"
#include "report/compare/text_change.h"
#include "report/json_value.h"

struct wtl_ab_options {
    struct wtl_run_options run;
    enum wtl_metric metric;
    double resolve; /* 0.01 = 1 % */
    unsigned min_pairs, max_pairs;
    unsigned noise_pairs;    /* of A against A; 0 = none */
    const char *noise_floor; /* a document of an earlier comparison; NULL = measure it */
    uint64_t seed;
    const char *folder; /* for the traces; NULL = none are kept */
    const char *save;   /* the JSON document, too; NULL = not */
    bool show_output, details;
    enum wtl_format format;
    char **argv[2];   /* A and B, each ended by NULL */
    char *line[2][4]; /* for commands given as lines for the shell */
};

struct job {
    struct wtl_ab_options options;
    struct wtl_cli_settings settings;
    struct wtl_trials trials;
    struct wtl_ab ab;
    struct wtl_pairs pairs;
    struct wtl_output saved; /* with --save */
    char *line[2];
    char trace[4096];
    bool made_folder;
    struct wtl_progress progress;
};

/* ---- progress ---- */

static void show(struct job *job, const char *phase, size_t done)
{
    const struct wtl_sequence *sequence = &job->pairs.sequence;
    struct wtl_interval ratio = wtl_sequence_ratio(sequence);
    char change[96] = "", more[64] = "";
    if (sequence->n > 0)
        (void)wtl_digits_change(change, sizeof change, &ratio);
    double pairs = wtl_sequence_more_pairs(sequence, job->options.resolve);
    if (sequence->n >= 2 && isfinite(pairs))
        (void)snprintf(more, sizeof more, ", about %.0f more", fmax(pairs, 1));
    wtl_progress_show(&job->progress, (double)done / ((double)done + pairs), "%s %zu%s%s%s", phase,
                      done + 1, change[0] ? ": B " : "", change, more);
}

/* ---- runs ---- */

/* DIR/a-3.wtl, DIR/floor-3-2.wtl: where the trace of the next run goes. */
static int name_trace(struct job *job, bool floor, size_t pair, int side, struct wattle_error *err)
{
    const char *folder = job->options.folder;
    int n;
    job->trials.measure.what.trace_path = NULL;
    if (!folder)
        return 0;
    if (floor)
        n = snprintf(job->trace, sizeof job->trace, "%s/floor-%zu-%d.wtl", folder, pair, side + 1);
    else
        n = snprintf(job->trace, sizeof job->trace, "%s/%c-%zu.wtl", folder, side ? 'b' : 'a',
                     pair);
    job->trials.measure.what.trace_path = job->trace;
    if (n < 0 || (size_t)n >= sizeof job->trace)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    return 0;
}

/* Can the traces of these pairs be created, without the document replacing one? */
static int check_traces(struct job *job, bool floor, size_t pairs, struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && job->options.folder && i < 2 * pairs; i++) {
        rc = name_trace(job, floor, i / 2 + 1, (int)(i % 2), err);
        rc = rc < 0 ? rc : wtl_trials_check_trace(&job->trials, job->trace, job->options.save, err);
    }
    return rc;
}

static int open_outputs(struct job *job, struct wattle_error *err)
{
    const struct wtl_ab_options *o = &job->options;
    int rc = wtl_outputs_differ(o->folder, o->save, err);
    rc = rc < 0 ? rc : wtl_trace_folder_make(o->folder, &job->made_folder, err);
    rc = rc < 0 ? rc : check_traces(job, true, o->noise_floor ? 0 : o->noise_pairs, err);
    rc = rc < 0 ? rc : check_traces(job, false, o->max_pairs, err);
    if (rc == 0 && o->save)
        rc = wtl_output_open(&job->saved, o->save, o->run.force, err);
    return rc;
}

static int run_one(struct job *job, int side, struct wtl_result *ret, struct wattle_error *err)
{
    const struct wtl_ab_options *o = &job->options;
    job->trials.measure.argv = o->argv[side];
    job->trials.measure.what.command_line = job->line[side];
    return wtl_trials_trial(&job->trials, ret, err);
}

/* The metric must be known in each run: -ENODATA with a sentence. */
static int check_value(const struct job *job,
                       const struct wtl_result *run,
                       struct wattle_error *err)
{
    const char *name = wtl_metric_names[job->options.metric];
    double value = wtl_metric_of(run, job->options.metric);
    if (value > 0)
        return 0;
    if (isnan(value) && run->total.count == 0)
        return wtl_fail(err, -ENODATA,
                        "no sensor measures energy here (\"wattle sensors\" says why); --metric "
                        "time compares times");
    return wtl_fail(err, -ENODATA, "%s of a run is %s and cannot be compared", name,
                    isnan(value) ? "unknown (with -o DIR, its trace shows where the gap is)" : "0");
}

/* Two runs of a pair into results[0] and [1]; both or none. */
static int run_pair(struct job *job,
                    bool floor,
                    size_t pair,
                    struct wtl_result *results,
                    struct wattle_error *err)
{
    uint64_t seed = floor ? ~job->options.seed : job->options.seed;
    bool b_first = wtl_pairs_b_first(seed, pair), have[2] = {false, false};
    int rc = 0;
    for (int turn = 0; turn < 2 && rc == 0; turn++) {
        int side = turn ^ (int)b_first;
        rc = name_trace(job, floor, pair + 1, side, err);
        rc = rc < 0 ? rc : run_one(job, floor ? 0 : side, &results[side], err);
        have[side] = rc == 0;
        rc = rc < 0 ? rc : check_value(job, &results[side], err);
    }
    for (int side = 0; side < 2 && rc < 0; side++) {
        if (!have[side])
            continue;
        if (results[side].trace)
            (void)unlink(results[side].trace); /* half a pair is of no use */
        wtl_result_fini(&results[side]);
    }
    return rc;
}

/* One more pair at the end of a list. */
static int add_pair(struct job *job,
                    bool floor,
                    struct wtl_result **list,
                    size_t *count,
                    struct wattle_error *err)
{
    if (wtl_grow(list, *count, 2 * sizeof **list) < 0)
        return wtl_no_memory_for(err, "%zu pairs", *count + 1);
    show(job, floor ? "noise floor, pair" : "pair", *count);
    int rc = run_pair(job, floor, *count, &(*list)[2 * *count], err);
    *count += rc == 0;
    return rc;
}

static int warm_up(struct job *job, struct wattle_error *err)
{
    int rc = 0;
    job->trials.measure.what.trace_path = NULL;
    for (unsigned i = 0; i < 2 * job->options.run.warmup && rc == 0; i++) {
        struct wtl_result result;
        show(job, "warm-up, run", i);
        rc = run_one(job, (int)(i % 2), &result, err);
        if (rc == 0)
            wtl_result_fini(&result);
    }
    return rc;
}

static int measure_floor(struct job *job, struct wattle_error *err)
{
    struct wtl_ab *ab = &job->ab;
    int rc = 0;
    if (ab->floor_file)
        return 0;
    while (rc == 0 && ab->floor_count < job->options.noise_pairs)
        rc = add_pair(job, true, &ab->floor_runs, &ab->floor_count, err);
    if (ab->floor_count > 0)
        ab->floor = wtl_noise_floor_of(ab->floor_runs, ab->floor_count);
    return rc;
}

static int measure_pairs(struct job *job, struct wattle_error *err)
{
    struct wtl_ab *ab = &job->ab;
    enum wtl_pairs_state state = WTL_PAIRS_GO_ON;
    char why[200];
    int rc = 0;
    ab->plan.log_sd = ab->floor.pairs ? ab->floor.of[ab->metric].log_sd : (double)NAN;
    job->pairs = wtl_pairs_start(&ab->plan);
    while (rc == 0 && state == WTL_PAIRS_GO_ON) {
        rc = add_pair(job, false, &ab->runs, &ab->count, err);
        if (rc < 0)
            break;
        const struct wtl_result *pair = &ab->runs[2 * ab->count - 2];
        wtl_pairs_add(&job->pairs, wtl_metric_of(&pair[0], ab->metric),
                      wtl_metric_of(&pair[1], ab->metric));
        if (ab->count == ab->plan.least)
            job->pairs.only_least =
                wtl_matching_forbids(ab->runs, 2 * ab->count, ab->metric, why, sizeof why);
        state = wtl_pairs_state(&job->pairs);
    }
    if (rc == 0)
        ab->end =
            state == WTL_PAIRS_ANSWERED && !job->pairs.only_least ? WTL_AB_ANSWERED : WTL_AB_ENOUGH;
    return rc;
}

static int measure(struct job *job, struct wattle_error *err)
{
    struct wtl_ab *ab = &job->ab;
    ab->plan.log_sd = NAN;
    job->pairs = wtl_pairs_start(&ab->plan);
    int rc = warm_up(job, err);
    rc = rc < 0 ? rc : measure_floor(job, err);
    rc = rc < 0 ? rc : measure_pairs(job, err);
    wtl_progress_clear(&job->progress);
    if (rc < 0)
        ab->end = rc == -EINTR ? WTL_AB_INTERRUPTED : WTL_AB_FAILED;
    return rc;
}

/* ---- before and after ---- */

static int set_up(struct job *job, struct wattle_error *err)
{
    const struct wtl_ab_options *o = &job->options;
    struct wtl_ab *ab = &job->ab;
    int rc = wtl_trials_init(&job->trials, &o->run, &job->settings, err);
    if (rc < 0)
        return rc;
    for (int side = 0; side < 2; side++) {
        /* A line for the shell is shown as it was given. */
        const char *const *words = (const char *const *)o->argv[side];
        bool is_line = words == (const char *const *)o->line[side];
        char *const alone[] = {o->line[side][2], NULL};
        job->line[side] =
            is_line ? wtl_command_line_shown(alone[0]) : wtl_command_line(o->argv[side]);
        if (!job->line[side])
            return wtl_no_memory_for(err, "the command line");
        ab->command[side] = job->line[side];
    }
    ab->metric = o->metric;
    ab->plan = (struct wtl_pairs_plan){
        .resolve = o->resolve, .least = o->min_pairs, .most = o->max_pairs, .log_sd = NAN};
    ab->seed = o->seed;
    ab->warmup = o->run.warmup;
    ab->floor_file = o->noise_floor;
    job->trials.measure.what.trace.need = WTL_TRACE_MUST; /* there are traces with --output only */
    job->trials.measure.stdio = o->show_output ? WTL_STDIO_SHOWN : WTL_STDIO_SILENT;
    wtl_progress_begin(&job->progress, !o->run.quiet && !o->show_output, false);
    if (o->noise_floor) {
        rc = wtl_noise_floor_read(o->noise_floor, job->line[0], &ab->floor, err);
        if (rc < 0)
            return rc;
    }
    rc = wtl_trials_place_series(&job->trials, "ab", &job->options.folder, err);
    return rc < 0 ? rc : open_outputs(job, err);
}

static int print(struct job *job, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    style.verbose = job->options.details;
    int rc = wtl_ab_judge(&job->ab);
    if (rc < 0)
        return wtl_no_memory(err);
    if (job->options.save) {
        rc = wtl_json_print(job->saved.stream, wtl_json_ab(&job->ab));
        rc = rc < 0 ? wtl_no_memory(err) : wtl_output_commit(&job->saved, err);
    }
    int printed = wtl_report_ab(stdout, job->options.format, &job->ab, &style, err);
    return printed < 0 ? printed : rc;
}

/* Pairs of an earlier call with --force that this one did not reach would be taken for its own. */
static void clear_older(const struct job *job)
{
    const struct wtl_ab *ab = &job->ab;
    const char *folder = job->options.folder;
    if (!folder || ab->count + ab->floor_count == 0)
        return;
    wtl_trials_clear(&job->trials, folder, "a", ab->count, ".wtl");
    wtl_trials_clear(&job->trials, folder, "b", ab->count, ".wtl");
    wtl_trials_clear(&job->trials, folder, "floor", ab->floor_count, "-1.wtl");
    wtl_trials_clear(&job->trials, folder, "floor", ab->floor_count, "-2.wtl");
}

static void tear_down(struct job *job)
{
    clear_older(job);
    if (job->made_folder)
        (void)rmdir(job->options.folder); /* if it is empty */
    wtl_output_drop(&job->saved);
    wtl_ab_fini(&job->ab);
    for (int side = 0; side < 2; side++)
        free(job->line[side]);
    wtl_trials_fini(&job->trials);
    wtl_cli_settings_fini(&job->settings);
}

static int exit_status(const struct job *job, int rc)
{
    if (rc == 0)
        return WTL_EXIT_OK;
    if (job->trials.command_failed)
        return wtl_child_exit_code(&job->trials.child);
    bool began = job->ab.count + job->ab.floor_count > 0 || rc == -ECHILD;
    return wtl_exit_failed(began ? WTL_EXIT_FAILED : WTL_EXIT_RUN_FAILED);
}

/* ---- options: one table, one reader, and the two commands ---- */

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

static const struct wtl_option ab_option_table[] = {
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

/*
 * Read the command line, after the configuration. Returns WTL_GO_ON, or the exit status after a
 * message. *options must not move afterwards; argv is split in two.
 */
static int ab_options_parse(struct wtl_ab_options *options,
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

/* ---- the verb ---- */

static int run(int argc, char **argv)
{
    struct job job = {.ab = {.count = 0}};
    struct wattle_error err = {""};
    if (wtl_cli_settings_load(&job.settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_ab_command, "%s", err.text);
        return WTL_EXIT_RUN_FAILED;
    }
    int status = ab_options_parse(&job.options, job.settings.config, argc, argv);
    if (status != WTL_GO_ON) {
        wtl_cli_settings_fini(&job.settings);
        return status;
    }
    int rc = set_up(&job, &err);
    rc = rc < 0 ? rc : measure(&job, &err);
    if (rc < 0 && rc != -EINTR)
        wtl_complain(&wtl_ab_command, "%s", err.text);
    if (job.ab.count + job.ab.floor_count > 0) {
        int printed = print(&job, &err);
        if (printed < 0)
            wtl_complain(&wtl_ab_command, "%s", err.text);
        rc = rc < 0 ? rc : printed;
    }
    status = exit_status(&job, rc);
    int deadly = rc == -EINTR ? wtl_trials_deadly_signal(&job.trials, true) : 0;
    tear_down(&job);
    if (deadly)
        wtl_signals_die(deadly);
    return status;
}

const struct wtl_command wtl_ab_command = {
    .verb = "ab",
    .run = run,
    .operands = "[--] A [ARGUMENT...] -- B [ARGUMENT...]",
    .summary = "compare the energy of two commands in pairs until it is clear",
    .text =
        "Pairs of A against A show how much the machine varies; then A and B take turns in random\n"
        "order until the 95 % interval of their difference excludes 0 or lies within --resolve.\n"
        "The interval is valid however often it is checked. Output of the commands is dropped\n"
        "unless --show-output is given; their input is empty.\n"
        "Exit status: 0 compared, whatever the result; 1 a command failed, or the result could\n"
        "not be written; 125, 126, 127 as for \"wattle run\".\n",
    .options = ab_option_table,
    .examples = "wattle ab -- ./old input.dat -- ./new input.dat\n"
                "wattle ab --resolve 0.5% --max-pairs 200 -- ./old -- ./new\n"
                "wattle ab --metric time -a './old <in | sort' -b './new <in | sort'\n"
                "wattle ab --save ab.json -o traces -- ./old -- ./new\n"
                "wattle ab --noise-floor ab.json -- ./old -- ./newer\n",
    .usage_exit = WTL_EXIT_RUN_FAILED,
    .runs_command = true,
};
