/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle run": settings, targets, warm-up, repeats and idle baselines; then the result in the requested
 * place, and the exit status of the command. The measurement is in measure.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "base/fail.h"
#include "cli/commands.h"
#include "cli/control/hold_options.h"
#include "cli/inputs.h"
#include "cli/run/command_line.h"
#include "cli/run/idle.h"
#include "cli/run/on_phase.h"
#include "cli/run/passes.h"
#include "cli/run/progress.h"
#include "cli/run/record_run.h"
#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "cli/run/trials.h"
#include "cli/session/session_link.h"
#include "cli/settings.h"
#include "measure/provenance.h"
#include "measure/trace_name.h"
#include "model/flag.h"
#include "report/table.h"

struct run {
    struct wtl_run_options options;
    struct wtl_cli_settings settings;
    struct wtl_trials trials;
    struct wtl_output output;
    struct wtl_result *results; /* one per counted run */
    unsigned count;
    struct wtl_run_trace *traces; /* with --idle: one per counted run, still open */
    struct wtl_idle idle;
    char *trace_path, *command_line;
    bool cut_short;  /* a signal came before the last run began */
    bool unfinished; /* wattle itself failed before the last run */
    bool unprinted;  /* the result could not be written */
    struct wtl_job job;
    enum wtl_job_role role;
    struct wtl_passes *passes; /* NULL = none */
    struct wtl_hold *hold;     /* settings of the machine; NULL = none */
    char held[256];            /* these, in words */
};

/* Where the suffix of a trace's name begins. */
static size_t stem_of(const char *name)
{
    static const char suffix[] = ".wtl";
    size_t n = strlen(name), most = sizeof suffix - 1;
    return n > most && strcmp(name + n - most, suffix) == 0 ? n - most : n;
}

/* The trace of a run; with repeats "-3" is inserted before the suffix. Returns 0 or -ENOMEM. */
static int name_trace(struct run *run, unsigned number)
{
    const struct wtl_run_options *o = &run->options;
    char *name = wtl_trace_name(run->trials.output, run->job.key.name, run->job.seat != NULL);
    if (name && o->repeat > 1) {
        char *base = name;
        size_t n = stem_of(base);
        if (asprintf(&name, "%.*s-%u%s", (int)n, base, number, base + n) < 0)
            name = NULL;
        free(base);
    }
    run->trace_path = name;
    return name ? 0 : -ENOMEM;
}

/* Traces of an earlier, longer series would be taken for those of this one. */
static void clear_older(struct run *run)
{
    char *name = run->options.repeat > 1 && run->count > 0 && run->trials.output
                     ? wtl_trace_name(run->trials.output, run->job.key.name, false)
                     : NULL;
    if (name) {
        size_t n = stem_of(name);
        const char *suffix = name[n] ? ".wtl" : "";
        name[n] = '\0';
        wtl_trials_clear(&run->trials, NULL, name, run->count, suffix);
    }
    free(name);
}

static bool is_in_job_by_name(void)
{
    const char *job = getenv("WATTLE_JOB");
    return job && job[0];
}

/* The shell still has the environment of a bracket that has ended on this node, so this is another run. */
static void forget_bracket(const struct run *run)
{
    const char *job = getenv("WATTLE_JOB"), *node = getenv("WATTLE_SPOOL_NODE");
    char run_id[64];
    if (run->role != WTL_JOB_MEASURE || !job || !node || strcmp(node, run->job.key.node) != 0 ||
        !wtl_session_link_named_run())
        return;
    wtl_session_link_name_run(job, run_id);
    (void)setenv("WATTLE_RUN_ID", run_id, 1); /* out of memory: keep that of the bracket */
}

/* Of several processes of a job this one has only its own command below it: count the machine. */
static void count_all_ranks(struct run *run)
{
    if (run->options.counters_scope == WTL_COUNTED_AUTO && run->job.launcher.ranks_here > 1)
        run->trials.measure.what.target.scope = WTL_COUNTED_MACHINE;
}

/* Under a launcher: which of the processes measures? */
static int take_part(struct run *run, struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    struct wattle_error why = {""};
    char sentence[sizeof why.text + 128];
    int rc = wtl_job_init(&run->job, wtl_world_real(), &o->tools, err);
    if (rc < 0 || !run->job.key.job[0])
        return rc == 0 && o->no_trace ? wtl_job_without_trace(&run->job, err) : rc;
    if (o->repeat > 1 || o->warmup > 0 || o->idle_ns > 0)
        return wtl_fail(err, -EINVAL,
                        "--repeat, --passes, --warmup and --idle cannot be used in a job: "
                        "%s",
                        is_in_job_by_name()
                            ? "WATTLE_JOB is set, as by \"wattle start --export\"; run \"unset "
                              "WATTLE_JOB\" if no \"wattle start\" is active"
                            : "repeat the command of the launcher (mpirun, srun) instead");
    rc = wtl_job_join(&run->job, &run->role, &why);
    forget_bracket(run);
    if (rc == 0 && run->role == WTL_JOB_MEASURE && o->no_trace &&
        (rc = wtl_job_without_trace(&run->job, err)) < 0)
        return rc;
    count_all_ranks(run);
    run->trials.measure.what.node = run->job.seat ? run->job.key.name : NULL;
    if (rc < 0) {
        (void)snprintf(sentence, sizeof sentence,
                       "%s; each process measures for itself, so energies must not be added",
                       why.text);
        wtl_trials_warn(&run->trials, sentence);
    }
    return 0;
}

static void show_progress(const struct wtl_result *so_far)
{
    (void)wtl_report_progress(stderr, so_far, NULL); /* only the final result matters */
}

/* Check before the first run that all outputs are writable and that the result replaces no trace. */
static int check_outputs(struct run *run, struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    int rc = wtl_outputs_differ(o->output, o->result, err);
    for (unsigned i = 1; rc == 0 && run->trials.output && i <= o->repeat; i++) {
        rc = name_trace(run, i) < 0
                 ? wtl_no_memory_for(err, "the name of a trace")
                 : wtl_trials_check_trace(&run->trials, run->trace_path, o->result, err);
        free(run->trace_path);
        run->trace_path = NULL;
    }
    return rc;
}

/* Standard output belongs to the command; without a command, documents are written there. */
static const char *result_place(const struct wtl_run_options *o)
{
    if (o->result)
        return o->result;
    return !o->argv && o->format != WTL_FORMAT_TEXT ? "-" : "fd:2";
}

/* The guard is forked here, before there are threads. */
static int hold(struct run *run, struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    struct wtl_measurement_options *what = &run->trials.measure.what;
    if (!wtl_hold_words_ask(&o->hold))
        return 0;
    int rc = wtl_hold_words_begin(&o->hold, o->command, run->settings.config, &run->hold, err);
    if (rc < 0)
        return rc;
    struct wtl_hold_frequency accepted = wtl_hold_accepted(run->hold);
    wtl_hold_words_line(&o->hold, run->held, sizeof run->held);
    what->control = run->held;
    what->control_low_hz = accepted.low_hz;
    what->control_high_hz = accepted.high_hz;
    return 0;
}

/* The gauges of --passes; one run is enough where none is needed. */
static int open_passes(struct run *run, struct wattle_error *err)
{
    struct wtl_run_options *o = &run->options;
    const struct wtl_passes_options options = {.sensors = o->sensors,
                                               .settings = &run->settings.drivers,
                                               .signals = &run->trials.signals,
                                               .count = o->passes};
    char why[160], sentence[256];
    if (o->passes == 0)
        return 0;
    int rc = wtl_passes_open(&options, &run->passes, why, sizeof why, err);
    if (rc < 0 || run->passes)
        return rc;
    (void)snprintf(sentence, sizeof sentence, "--passes is not needed: %s; the command runs once",
                   why);
    wtl_trials_warn(&run->trials, sentence);
    o->repeat = 1;
    run->trials.measure.what.series = NULL;
    return 0;
}

static int place(struct run *run, struct wattle_error *err)
{
    int rc = wtl_trials_place(&run->trials, err);
    return rc < 0 ? rc : open_passes(run, err);
}

static int set_up(struct run *run, struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    int rc = wtl_trials_init(&run->trials, o, &run->settings, err);
    if (rc < 0)
        return rc;
    run->trials.measure.job = o->argv ? &run->job : NULL;
    run->trials.measure.progress = show_progress;
    if (o->argv && (rc = take_part(run, err)) < 0)
        return rc;
    if (run->role == WTL_JOB_FOLLOW)
        return 0;
    if ((rc = place(run, err)) < 0)
        return rc;
    run->results = calloc(o->repeat, sizeof *run->results);
    run->traces = o->idle_ns > 0 ? calloc(o->repeat, sizeof *run->traces) : NULL;
    if (!run->results || (o->idle_ns > 0 && !run->traces))
        return wtl_no_memory_for(err, "%u results", o->repeat);
    if (o->argv && !(run->command_line = wtl_command_line(o->argv)))
        return wtl_no_memory_for(err, "the command line");
    run->trials.measure.what.command_line = run->command_line;
    if ((rc = check_outputs(run, err)) < 0)
        return rc;
    /* Opened before the command starts, so that errors are detected early. */
    rc = wtl_output_open(&run->output, result_place(o), o->force, err);
    return rc < 0 ? rc : hold(run, err);
}

/* The series ended early: add a flag to the last result. */
static void tell_left_out(struct run *run, int why, bool kept)
{
    const struct wtl_run_options *o = &run->options;
    struct wtl_result *last = &run->results[run->count - 1];
    const char *what = why == -EINTR ? "was interrupted" : "failed";
    char text[160];
    if (kept)
        (void)snprintf(text, sizeof text, "run 1 of %u %s: the result is of this run only",
                       o->repeat, what);
    else
        (void)snprintf(
            text, sizeof text,
            "run %u of %u %s, which ended the series: it is not in the means and has no trace",
            run->count + 1, o->repeat, what);
    (void)wtl_result_flag(last, why == -EINTR ? WTL_FLAG_INTERRUPTED : WTL_FLAG_FAILED_RUN, "%s",
                          text);
}

/* Does a run of the series count? If not, it is dropped with its trace, unless it is the only one. again: it is to be
 * repeated. Returns 0, -EINTR or -ECHILD. */
static int judge_run(struct run *run,
                     bool counted,
                     bool again,
                     struct wtl_result *result,
                     struct wtl_run_trace *trace,
                     bool *ret_keep,
                     struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    bool trials = o->argv && o->repeat + o->warmup > 1;
    int rc = trials ? wtl_trials_judge(&run->trials, err) : 0;
    *ret_keep = counted && (rc == 0 ? !again : run->count == 0);
    if ((rc < 0 || again) && !*ret_keep)
        wtl_run_trace_discard(trace);
    if (*ret_keep && run->traces)
        run->traces[run->count] = *trace; /* finished when the idle power is known */
    else
        (void)wtl_run_trace_finish(trace, result, NULL); /* what fails is a flag */
    if (!*ret_keep || !run->traces)
        wtl_run_trace_fini(trace);
    return rc;
}

/* Measure, as the next pass if it is one. ret_pass: 0, or why it is none, with a message. */
static int measure_one(struct run *run,
                       bool counted,
                       struct wtl_result *result,
                       struct wtl_run_trace *trace,
                       int *ret_pass,
                       struct wattle_error *ret_why,
                       struct wattle_error *err)
{
    struct wtl_on_phase on_phase;
    bool pass = counted && run->passes;
    int rc = wtl_on_phase_start(&run->options.on_phase, run->trace_path, &run->trials.signals,
                                &on_phase, err);
    if (rc < 0)
        return rc;
    run->trials.measure.ready = pass ? wtl_passes_ready : NULL;
    run->trials.measure.ready_context = run->passes;
    rc = wtl_trials_measure(&run->trials, result, trace, err);
    wtl_on_phase_stop(&on_phase);
    *ret_pass = rc == 0 && pass ? wtl_passes_end(run->passes, result, ret_why) : 0;
    return rc;
}

/* One run, counted or for warm-up. */
static int run_once(struct run *run, bool counted, struct wattle_error *err)
{
    struct wtl_result result = {0};
    struct wattle_error why = {""};
    bool keep;
    int pass = 0;
    struct wtl_run_trace trace;
    free(run->trace_path);
    run->trace_path = NULL;
    if (counted && !run->options.no_trace && name_trace(run, run->count + 1) < 0)
        return wtl_no_memory_for(err, "the name of a trace");
    run->trials.measure.what.trace_path = run->trace_path;
    int rc = measure_one(run, counted, &result, &trace, &pass, &why, err);
    if (rc < 0)
        return rc;
    rc = judge_run(run, counted, pass < 0, &result, &trace, &keep, err);
    if (rc == 0 && pass == -EAGAIN)
        wtl_trials_warn(&run->trials, why.text);
    else if (rc == 0 && pass < 0)
        rc = wtl_fail(err, pass, "%s", why.text);
    if (keep)
        run->results[run->count++] = result;
    else
        wtl_result_fini(&result);
    if (rc < 0 && run->count > 0 && run->options.repeat > 1)
        tell_left_out(run, rc, keep);
    return rc;
}

/* Measure the idle machine after the runs, then add the energy above idle to the results and their traces. */
static int end_idle(struct run *run, int rc, struct wattle_error *err)
{
    if (rc == 0 && !run->cut_short)
        rc = wtl_idle_after(&run->idle, &run->trials.measure, &run->trials.signals,
                            run->options.idle_ns, err);
    for (unsigned i = 0; i < run->count; i++) {
        if (rc == 0)
            wtl_idle_apply(&run->idle, &run->results[i]);
        wtl_provenance_idle(run->traces[i].writer, &run->results[i]);
        (void)wtl_run_trace_finish(&run->traces[i], &run->results[i], NULL); /* likewise */
        wtl_run_trace_fini(&run->traces[i]);
    }
    return rc;
}

static int run_all(struct run *run, struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    int rc = 0;
    if (o->idle_ns > 0)
        rc = wtl_idle_before(&run->idle, &run->trials.measure, &run->trials.signals, o->idle_ns,
                             err);
    const unsigned all = o->warmup + o->repeat;
    struct wtl_progress progress;
    wtl_progress_begin(&progress, !o->quiet && all > 1, true);
    for (unsigned i = 0; rc == 0 && i < all; i = i < o->warmup ? i + 1 : o->warmup + run->count) {
        wtl_progress_show(&progress, (double)i / all, "run %u of %u", i + 1, all);
        rc = run_once(run, i >= o->warmup, err);
    }
    if (rc == 0 && run->passes)
        rc = wtl_passes_apply(run->passes, run->results, err);
    run->unfinished = rc < 0 && rc != -EINTR && rc != -ECHILD;
    if (rc == -EINTR) {
        run->cut_short = true;
        rc = 0;
    }
    if (rc != -ECHILD)
        return o->idle_ns > 0 ? end_idle(run, rc, err) : rc;
    struct wattle_error ignored; /* report the failure of the command */
    if (o->idle_ns > 0)
        (void)end_idle(run, 0, &ignored);
    return rc;
}

/* Is "wattle start" the measuring process? Not reported by each rank of a launcher. */
static bool is_in_bracket(const struct run *run)
{
    struct wtl_session_link bracket;
    struct wtl_session_link_note note;
    return run->job.followed && run->job.launcher.ranks_here == 0 && !run->options.quiet &&
           wtl_session_link_find(wtl_world_real(), &bracket, NULL) == 0 &&
           wtl_session_link_read_note(&bracket, &note) == 0 && note.pid == run->job.note.pid;
}

static void warn_of_bracket(struct run *run)
{
    const struct wtl_run_options *o = &run->options;
    const char *trace = run->job.note.trace;
    char sentence[700];
    if (!o->output && !o->result)
        return;
    (void)snprintf(sentence, sizeof sentence,
                   "%s%s%s: not written, because \"wattle start\" is measuring %s%s; \"wattle "
                   "stop\" prints the result",
                   o->output ? "--output" : "", o->output && o->result ? " and " : "",
                   o->result ? "--result" : "", trace[0] ? "into " : "without a trace", trace);
    wtl_trials_warn(&run->trials, sentence);
}

/* Run alongside the measuring process; if that was killed and this one took over, the result comes from the trace. */
static int follow(struct run *run, struct wattle_error *err)
{
    const struct wtl_run_options *o = &run->options;
    struct wtl_trace_reader *reader = NULL;
    const char *trace;
    bool in_bracket = is_in_bracket(run);
    if (in_bracket)
        warn_of_bracket(run);
    run->trials.measure.argv = o->argv;
    int rc = wtl_job_follow(&run->job, run->trials.measure.argv, &run->trials.measure.what,
                            &run->trials.signals, &run->trials.child, &trace, err);
    run->trials.command_failed = run->trials.child.exec_errno != 0;
    if (rc == 0 && !trace && in_bracket)
        wtl_print_sentence(stderr, "wattle: measured by \"wattle start\"%s%s\n",
                           run->job.note.trace[0] ? ", in " : ", without a trace",
                           run->job.note.trace);
    if (rc < 0 || !trace)
        return rc;
    run->results = calloc(1, sizeof *run->results);
    rc = run->results ? wtl_trace_reader_open(trace, &reader, err) : -ENOMEM;
    if (rc == 0)
        rc = wtl_run_result_read(reader, trace, run->results, err);
    wtl_trace_reader_close(reader);
    run->count = rc == 0;
    return rc < 0 ? rc : wtl_output_open(&run->output, result_place(o), o->force, err);
}

/* Nothing else reports the result: the trace must be whole. */
static int check_traces(const struct run *run, struct wattle_error *err)
{
    static const char remedy[] = "--result FILE keeps the result elsewhere";
    for (unsigned i = 0; i < run->count; i++) {
        const struct wtl_result *result = &run->results[i];
        for (size_t k = 0; k < result->flag_count; k++) {
            const struct wtl_result_flag *flag = &result->flags[k];
            if (strcmp(flag->name, WTL_FLAG_NO_TRACE) == 0)
                return wtl_fail(err, -EIO, "the result is lost: no trace was written: %s; %s",
                                flag->text, remedy);
            if (strcmp(flag->name, WTL_FLAG_UNFINISHED) == 0)
                return wtl_fail(err, -EIO,
                                "the trace %s is incomplete; run \"wattle repair\" on it; %s",
                                run->results[i].trace, remedy);
        }
    }
    return 0;
}

static int print(struct run *run, struct wattle_error *err)
{
    if (run->options.quiet && !run->options.result)
        return check_traces(run, err);
    /* The analyser forgets who holds the results when a neighbour of theirs is passed by address. */
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    return wtl_run_output(&run->output, run->options.format, run->results, run->count,
                          run->options.verbose, err);
}

/* A row for "wattle jobs", if the user wants one. */
static void record(const struct run *run)
{
    const struct wtl_run_options *o = &run->options;
    const bool always =
        strcmp(wtl_config_get(run->settings.config, "jobs", "record-runs"), "yes") == 0;
    const struct wtl_record_run what = {.config = run->settings.config,
                                        .argv = o->argv,
                                        .run_id = run->job.seat ? run->job.note.run_id : ""};
    if (o->argv && run->role == WTL_JOB_MEASURE && (o->record || always))
        wtl_record_run(&what, run->results, run->count);
}

static void tear_down(struct run *run)
{
    clear_older(run);
    for (unsigned i = 0; i < run->count; i++)
        wtl_result_fini(&run->results[i]);
    free(run->results);
    free(run->traces);
    free(run->trace_path);
    free(run->command_line);
    wtl_passes_close(run->passes);
    wtl_output_drop(&run->output);
    wtl_job_fini(&run->job);
    wtl_cli_settings_fini(&run->settings);
    wtl_trials_fini(&run->trials);
}

static int exit_status(const struct run *run, int rc)
{
    bool followed = run->role == WTL_JOB_FOLLOW && run->trials.child.ended;
    int own = 0; /* that of the command, even if our output failed */
    if (run->trials.command_failed || followed)
        own = wtl_child_exit_code(&run->trials.child);
    else if (run->trials.first_bad)
        own = wtl_exit_code_of(run->trials.first_bad);
    else if (run->count == 0 || run->unfinished)
        own = WTL_EXIT_RUN_FAILED;
    bool failed = run->unprinted || (!run->options.argv && rc < 0);
    return own == 0 && failed ? wtl_exit_failed(WTL_EXIT_FAILED) : own;
}

static int run_command(int argc, char **argv)
{
    struct run run = {.cut_short = false};
    struct wattle_error err = {""};
    wtl_run_options_init(&run.options);
    if (wtl_cli_settings_load(&run.settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_run_command, "%s", err.text);
        return WTL_EXIT_RUN_FAILED;
    }
    int status = wtl_run_options_configure(&run.options, run.settings.config) < 0
                     ? WTL_EXIT_RUN_FAILED
                     : wtl_run_options_parse(&run.options, argc, argv);
    if (status != WTL_GO_ON) {
        wtl_cli_settings_fini(&run.settings);
        return status;
    }
    int rc = set_up(&run, &err);
    if (rc == 0 && run.role == WTL_JOB_FOLLOW)
        rc = follow(&run, &err);
    else
        rc = rc < 0 ? rc : run_all(&run, &err);
    if (rc < 0)
        wtl_complain(&wtl_run_command, "%s", err.text);
    bool open = wtl_hold_end(run.hold, &err) < 0;
    if (open)
        wtl_complain(&wtl_run_command, "%s", err.text);
    if (run.count > 0) {
        int printed = print(&run, &err);
        run.unprinted = printed < 0;
        if (printed < 0)
            wtl_complain(&wtl_run_command, "%s", err.text);
        rc = rc < 0 ? rc : printed;
        record(&run);
    }
    status = exit_status(&run, rc);
    if (status == 0 && open) /* settings could not be restored */
        status = WTL_EXIT_RUN_FAILED;
    /* The exit status that a caller would see from the command itself. */
    int deadly = wtl_trials_deadly_signal(&run.trials, run.cut_short);
    tear_down(&run);
    if (deadly)
        wtl_signals_die(deadly);
    return status;
}

const struct wtl_command wtl_run_command = {
    .verb = "run",
    .run = run_command,
    .operands = "[--] COMMAND [ARGUMENT...]",
    .summary = "measure the energy of a command, a process or the machine",
    .text = "The command's input, output, signals and exit status are passed through. Prints\nthe "
            "result on stderr and writes a trace for \"wattle stats\", \"report\" "
            "and\n\"export\".\nExit status: that of the command; 1 instead of 0 if the result "
            "could not be\nwritten, 125 wattle failed before the start, 126 the command cannot "
            "be\nexecuted, 127 command not found, 128+N killed by signal N.\n",
    .options = wtl_run_option_table,
    .examples = "wattle run -- ./app input.dat\n"
                "wattle run -r 10 --warmup 1 --no-trace -- ./app\n"
                "wattle run --passes 16 -- ./gpu-app\n"
                "wattle run --format json --result app.json -o app.wtl -- ./app\n"
                "wattle run --format json --result fd:3 -- ./app 3>r.json\n"
                "wattle run -i 1ms --sensor powercap -- ./app\n"
                "wattle run --label app=cg --label scale=16 -- ./cg.16\n"
                "wattle run -a --duration 10s\n"
                "wattle run -a --duration 10s --format json | jq .total.energy_j\n"
                "mpirun -n 64 wattle run -o traces/ -- ./app\n",
    .usage_exit = WTL_EXIT_RUN_FAILED,
    .runs_command = true,
};
