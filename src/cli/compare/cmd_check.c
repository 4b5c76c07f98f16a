/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle check": runs of a command against a base, for CI. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run_set.h"
#include "analysis/compare/metric.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run/command_line.h"
#include "cli/run/progress.h"
#include "cli/run/run_options.h"
#include "cli/run/trials.h"
#include "cli/run_words.h"
#include "model/result.h"
#include "report/compare/report_check.h"
#include "report/json_read.h"
#include "report/json_value.h"
#include "report/result/json_result.h"

struct wtl_check_options {
    struct wtl_run_options run; /* the command is run.argv, its runs run.repeat */
    enum wtl_metric metric;
    double limit;             /* 0.02 = 2 % more than the base; NaN = none was given */
    struct wtl_words against; /* paths; none = a base is only made */
    const char *save;         /* the runs as a base; NULL = not */
    const char *junit;        /* NULL = none */
    const char *folder;       /* for the traces; NULL = none are kept */
    bool show_output, details;
    struct wtl_check_rules rules;
    enum wtl_format format; /* text or JSON */
};

struct job {
    struct wtl_check_options options;
    struct wtl_cli_settings settings;
    struct wtl_trials trials;
    struct wtl_result *base, *runs; /* owned */
    size_t base_count, run_count;
    struct wtl_output save, junit;
    char *command_line;
    char trace[4096];
    bool made_folder;
    struct wtl_progress progress;
};

static int name_trace(struct job *job, size_t number, struct wattle_error *err)
{
    const char *folder = job->options.folder;
    int n = snprintf(job->trace, sizeof job->trace, "%s/run-%zu.wtl", folder, number);
    if (n < 0 || (size_t)n >= sizeof job->trace)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    return 0;
}

/* Can the traces be created, without a file replacing another or a trace? */
static int check_outputs(struct job *job, struct wattle_error *err)
{
    const struct wtl_check_options *o = &job->options;
    int rc = wtl_outputs_differ(o->save, o->junit, err);
    rc = rc < 0 ? rc : wtl_outputs_differ(o->folder, o->save, err);
    rc = rc < 0 ? rc : wtl_outputs_differ(o->folder, o->junit, err);
    rc = rc < 0 ? rc : wtl_trace_folder_make(o->folder, &job->made_folder, err);
    for (size_t i = 1; rc == 0 && o->folder && i <= o->run.repeat; i++) {
        rc = name_trace(job, i, err);
        rc = rc < 0 ? rc : wtl_outputs_differ(job->trace, o->save, err);
        rc = rc < 0 ? rc : wtl_trials_check_trace(&job->trials, job->trace, o->junit, err);
    }
    return rc;
}

/* ---- the runs of a base: from traces, folders of traces and JSON results ---- */

struct runs {
    struct wtl_result *list;
    size_t count;
};

/* Move the results to the base and free the array. */
static int append(struct runs *runs,
                  struct wtl_result *more,
                  size_t count,
                  struct wattle_error *err)
{
    size_t room = runs->count;
    if (wtl_reserve(&runs->list, &room, runs->count + count, sizeof *runs->list) < 0) {
        wtl_run_results_free(more, count);
        return wtl_no_memory_for(err, "the base");
    }
    if (count)
        memcpy(runs->list + runs->count, more, count * sizeof *more);
    runs->count += count;
    free(more);
    return 0;
}

/* A trace begins with its own mark, a document with a brace. */
static bool is_json(const char *path)
{
    FILE *file = fopen(path, "re");
    int first = ' ';
    while (file && (first == ' ' || first == '\n' || first == '\t' || first == '\r'))
        first = fgetc(file);
    if (file)
        (void)fclose(file);
    return first == '{' || first == '[';
}

/* Results keep copies of their texts, so the path can be freed. */
static int read_file(struct runs *runs, char *path, struct wattle_error *err)
{
    struct wtl_result *more = NULL;
    size_t count = 1;
    int rc = is_json(path) ? wtl_json_results_read(path, &more, &count, err)
                           : wtl_run_results_read(&path, 1, &more, err);
    return rc < 0 ? rc : append(runs, more, count, err);
}

/* Leave out the runs that are there twice: a document may have the results of traces beside it. */
static int leave_copies(struct runs *runs, struct wtl_trace_list *left)
{
    struct wtl_run_set seen = {0};
    size_t kept = 0;
    int rc = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct wtl_result *run = &runs->list[i];
        const char *name = run->trace ? run->trace : "a run without a trace";
        const char *first = rc == 0 ? wtl_run_set_add_result(&seen, run, name) : "";
        rc = first ? rc : -ENOMEM;
        if (!first || !first[0]) {
            runs->list[kept++] = *run;
            continue;
        }
        rc = wtl_run_set_leave(left, name, first);
        wtl_result_fini(run);
    }
    runs->count = kept;
    wtl_run_set_fini(&seen);
    return rc;
}

static int read_all(struct runs *runs,
                    const char *const *words,
                    size_t count,
                    struct wattle_error *err)
{
    struct wtl_trace_list paths = {0};
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = wtl_run_names_add(&paths, words[i], err);
    rc = rc < 0 ? rc : wtl_run_words_once(&paths, err);
    for (size_t i = 0; i < paths.count && rc == 0; i++)
        rc = read_file(runs, paths.paths[i], err);
    if (rc == 0 && leave_copies(runs, &paths) < 0)
        rc = wtl_no_memory_for(err, "the base");
    if (rc == 0)
        wtl_say_left_out(&wtl_check_command, &paths);
    wtl_trace_list_fini(&paths);
    return rc;
}

/*
 * Read everything that the words name (trace_list.h), in order: traces, and JSON documents of results.
 * To be freed by wtl_run_results_free(). 0, or -errno with a sentence.
 */
static int base_runs_read(const char *const *words,
                          size_t count,
                          struct wtl_result **ret_results,
                          size_t *ret_count,
                          struct wattle_error *err)
{
    struct runs runs = {NULL, 0};
    int rc = read_all(&runs, words, count, err);
    if (rc < 0) {
        wtl_run_results_free(runs.list, runs.count);
        return rc;
    }
    *ret_results = runs.list;
    *ret_count = runs.count;
    return 0;
}

/* ---- the check ---- */

static int set_up(struct job *job, struct wattle_error *err)
{
    const struct wtl_check_options *o = &job->options;
    int rc = wtl_trials_init(&job->trials, &o->run, &job->settings, err);
    if (rc < 0)
        return rc;
    job->runs = calloc(o->run.repeat, sizeof *job->runs);
    job->command_line = wtl_command_line(o->run.argv);
    if (!job->runs || !job->command_line)
        return wtl_no_memory_for(err, "%u results", o->run.repeat);
    job->trials.measure.what.command_line = job->command_line;
    job->trials.measure.what.trace.need = WTL_TRACE_MUST; /* there are traces with --output only */
    job->trials.measure.stdio = o->show_output ? WTL_STDIO_SHOWN : WTL_STDIO_SILENT;
    wtl_progress_begin(&job->progress, !o->run.quiet && !o->show_output, false);
    rc = wtl_trials_place_series(&job->trials, "check", &job->options.folder, err);
    rc = rc < 0 ? rc : check_outputs(job, err);
    if (rc == 0 && o->save)
        rc = wtl_output_open(&job->save, o->save, o->run.force, err);
    if (rc == 0 && o->junit)
        rc = wtl_output_open(&job->junit, o->junit, o->run.force, err);
    /* After the outputs, so that a report can say what is wrong with the base. */
    if (rc == 0 && o->against.count > 0)
        rc = base_runs_read(o->against.items, o->against.count, &job->base, &job->base_count, err);
    return rc;
}

/* One run, counted or for warm-up. */
static int run_once(struct job *job, unsigned number, struct wattle_error *err)
{
    const struct wtl_check_options *o = &job->options;
    bool counted = number >= o->run.warmup;
    struct wtl_result result;
    const unsigned all = o->run.warmup + o->run.repeat;
    wtl_progress_show(&job->progress, (double)number / all, "run %u of %u", number + 1, all);
    job->trials.measure.what.trace_path = NULL;
    if (counted && o->folder) {
        int rc = name_trace(job, job->run_count + 1, err);
        if (rc < 0)
            return rc;
        job->trials.measure.what.trace_path = job->trace;
    }
    int rc = wtl_trials_trial(&job->trials, &result, err);
    if (rc == 0 && counted)
        job->runs[job->run_count++] = result;
    else if (rc == 0)
        wtl_result_fini(&result);
    return rc;
}

static int measure(struct job *job, struct wattle_error *err)
{
    const struct wtl_run_options *o = &job->options.run;
    int rc = 0;
    for (unsigned i = 0; i < o->warmup + o->repeat && rc == 0; i++)
        rc = run_once(job, i, err);
    wtl_progress_clear(&job->progress);
    return rc;
}

/* A base must have what later checks compare. */
static int check_base(const struct job *job, struct wattle_error *err)
{
    const enum wtl_metric metric = job->options.metric;
    for (size_t i = 0; i < job->run_count; i++)
        if (!(wtl_metric_of(&job->runs[i], metric) > 0))
            return wtl_fail(
                err, -ENODATA,
                "%s: not saved, since the %s of run %zu is unknown; \"wattle sensors\" shows what "
                "can be measured, and a base with --metric time needs no sensor",
                job->options.save, wtl_metric_names[metric], i + 1);
    return 0;
}

static int save(struct job *job, struct wattle_error *err)
{
    int rc = check_base(job, err);
    if (rc < 0)
        return rc;
    if (wtl_json_results(job->save.stream, job->runs, job->run_count) < 0)
        return wtl_no_memory(err);
    return wtl_output_commit(&job->save, err);
}

/* The runs, if there is no base to compare with. */
static int print_runs(struct job *job, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    return wtl_report_results(stdout, job->options.format, job->runs, job->run_count, &style, err);
}

/* ---- options: one table, one reader ---- */

/* The default shows a change of twice the variation of the runs. */
enum { DEFAULT_RUNS = 10 };

static const char *const formats[] = {"text", "json", NULL};

static int take_limit(const struct wtl_command *command, void *place, const char *value)
{
    return wtl_option_percent(command, "--max", value, -1, place);
}

static const struct wtl_option check_option_table[] = {
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

/* Read the command line on top of the configuration. As wtl_run_options_parse(); in any case
 * check_options_fini() frees what it has. */
static int check_options_parse(struct wtl_check_options *options,
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

static void check_options_fini(struct wtl_check_options *options)
{
    free(options->against.items);
    options->against = (struct wtl_words){0};
}

/* ---- the verb ---- */

/* Judge, print, and the exit status into *ret_status. */
static int conclude(struct job *job, int *ret_status, struct wattle_error *err)
{
    const struct wtl_check_options *o = &job->options;
    struct wtl_style style = wtl_style_of(stdout);
    struct wtl_check check = {.metric = o->metric,
                              .limit = o->limit,
                              .base = job->base,
                              .base_count = job->base_count,
                              .runs = job->runs,
                              .run_count = job->run_count};
    style.verbose = o->details;
    int rc = o->save ? save(job, err) : 0;
    if (rc < 0)
        return rc;
    *ret_status = WTL_EXIT_OK;
    if (job->base_count == 0)
        return print_runs(job, err);
    if (wtl_check_judge(&check) < 0)
        return wtl_no_memory(err);
    *ret_status = wtl_check_status(&check, &o->rules);
    if (o->junit) {
        wtl_junit_check(job->junit.stream, &check, &o->rules);
        rc = wtl_output_commit(&job->junit, err);
    }
    int printed = wtl_report_check(stdout, o->format, &check, &o->rules, &style, err);
    return printed < 0 ? printed : rc;
}

/* The report of a check that did not end: one of an earlier check must not stay in its place. */
static void report_failure(struct job *job, const char *message)
{
    const struct wtl_check_options *o = &job->options;
    if (!job->junit.stream)
        return;
    wtl_junit_failed(job->junit.stream, o->metric, job->command_line, message);
    (void)wtl_output_commit(&job->junit, NULL);
}

/* Say why there is no outcome, and the exit status. */
static int fail(struct job *job, int rc, struct wattle_error *err)
{
    if (rc == -EINTR)
        (void)wtl_fail(err, rc, "interrupted after %zu of %u runs; nothing was compared or saved",
                       job->run_count, job->options.run.repeat);
    wtl_complain(&wtl_check_command, "%s", err->text);
    report_failure(job, err->text);
    return job->trials.command_failed ? wtl_child_exit_code(&job->trials.child)
                                      : wtl_exit_failed(WTL_EXIT_RUN_FAILED);
}

static void tear_down(struct job *job)
{
    if (job->options.folder && job->run_count > 0) /* those of an earlier, longer call */
        wtl_trials_clear(&job->trials, job->options.folder, "run", job->run_count, ".wtl");
    if (job->made_folder && job->options.folder)
        (void)rmdir(job->options.folder); /* if it is empty */
    wtl_output_drop(&job->save);
    wtl_output_drop(&job->junit);
    wtl_run_results_free(job->base, job->base_count);
    wtl_run_results_free(job->runs, job->run_count);
    free(job->command_line);
    wtl_trials_fini(&job->trials);
    check_options_fini(&job->options);
    wtl_cli_settings_fini(&job->settings);
}

static int run(int argc, char **argv)
{
    struct job job = {.run_count = 0};
    struct wattle_error err = {""};
    int verdict = WTL_EXIT_RUN_FAILED;
    if (wtl_cli_settings_load(&job.settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_check_command, "%s", err.text);
        return WTL_EXIT_RUN_FAILED;
    }
    int status = check_options_parse(&job.options, job.settings.config, argc, argv);
    if (status != WTL_GO_ON) {
        check_options_fini(&job.options);
        wtl_cli_settings_fini(&job.settings);
        return status;
    }
    int rc = set_up(&job, &err);
    rc = rc < 0 ? rc : measure(&job, &err);
    rc = rc < 0 ? rc : conclude(&job, &verdict, &err);
    status = rc < 0 ? fail(&job, rc, &err) : verdict;
    int deadly = rc == -EINTR ? wtl_trials_deadly_signal(&job.trials, true) : 0;
    tear_down(&job);
    if (deadly)
        wtl_signals_die(deadly);
    return status;
}

const struct wtl_command wtl_check_command = {
    .verb = "check",
    .run = run,
    .operands = "[--] COMMAND [ARGUMENT...]",
    .summary = "check the energy of a command against a base, for CI",
    .text =
        "Runs the command and compares it with a base measured earlier on the same node in the\n"
        "same state. A command exactly at the limit is reported as above in 5 % of checks.\n"
        "Output of the command is dropped unless --show-output is given; its input is empty.\n"
        "Exit status: 0 not above the limit; 1 above; 3 cannot tell; 125 wattle or the command\n"
        "failed, 126 the command cannot be executed, 127 it was not found.\n",
    .options = check_option_table,
    .examples = "wattle check --save base.json -r 20 -- ./app input.dat\n"
                "wattle check --max +2% --against base.json -- ./app input.dat\n"
                "wattle check --max +2% --against base.json --junit energy.xml -- ./app\n"
                "wattle check --max +5% --metric time --against traces/ -- ./app\n",
    .usage_exit = WTL_EXIT_RUN_FAILED,
    .runs_command = true,
};
