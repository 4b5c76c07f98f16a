/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle check": runs of a command against a base, for CI. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/results.h"
#include "base/fail.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/compare/base_runs.h"
#include "cli/compare/check_options.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/run/progress.h"
#include "cli/run/trials.h"
#include "report/json_value.h"
#include "report/result/json_result.h"

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
        rc = wtl_base_runs_read(o->against.items, o->against.count, &job->base, &job->base_count,
                                err);
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
    wtl_check_options_fini(&job->options);
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
    int status = wtl_check_options_parse(&job.options, job.settings.config, argc, argv);
    if (status != WTL_GO_ON) {
        wtl_check_options_fini(&job.options);
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
    .options = wtl_check_option_table,
    .examples = "wattle check --save base.json -r 20 -- ./app input.dat\n"
                "wattle check --max +2% --against base.json -- ./app input.dat\n"
                "wattle check --max +2% --against base.json --junit energy.xml -- ./app\n"
                "wattle check --max +5% --metric time --against traces/ -- ./app\n",
    .usage_exit = WTL_EXIT_RUN_FAILED,
    .runs_command = true,
};
