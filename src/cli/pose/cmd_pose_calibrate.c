/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle pose calibrate": measure the minimum and maximum power of a busy machine and store them. Checks
 * which loads can run, where to store, that each load starts, and that sensors are available, before the
 * minutes of measuring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/flush.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "cli/pose/calibrate.h"
#include "cli/settings.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/text_result.h"
#include "report/table.h"

/* A load requested by name must be able to run, and at least one load must run. */
static int check_loads(const struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    const struct wtl_calibrate_load *missing = NULL;
    size_t running = 0;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        running += wtl_calibrate_runs(load);
        if (!missing && load->asked && load->why[0])
            missing = load;
    }
    if (missing && (calibrate->options.named || running == 0))
        return wtl_fail(err, -ENOENT, "%s cannot run: %s", missing->name, missing->why);
    return 0;
}

/* Simulated powers must not be stored as those of this machine. */
static int check_idle(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    if (wtl_result_is_simulated(&calibrate->idle) && !calibrate->options.output)
        return wtl_fail(err, -EINVAL,
                        "the sensors are simulated, so the result must not be stored in %s as this "
                        "machine's; choose a file with --output",
                        calibrate->path);
    return 0;
}

/* Unusable bounds do not replace usable ones. */
static int store(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    struct wtl_pose_bounds bounds;
    struct wattle_error why = {""};
    int rc = wtl_calibrate_bounds(calibrate, 0, &bounds, &why);
    if (rc == 0 && !wtl_calibrate_sound(&bounds, why.text, sizeof why.text))
        rc = -EBADMSG;
    rc = rc == -EBADMSG ? wtl_fail(err, rc, "%s; nothing was stored", why.text)
                        : wtl_calibrate_store(calibrate, err);
    if (rc < 0 && !calibrate->not_stored[0])
        (void)snprintf(calibrate->not_stored, sizeof calibrate->not_stored, "%s", err->text);
    return rc;
}

/* ---- bounds and warnings ---- */

enum { LABEL = 15 };

static const char *bound_of(const struct wtl_calibrate_load *load)
{
    return load->of_pmax ? "Pmax" : "Pmin";
}

static void print_warnings(const struct wtl_calibrate *calibrate,
                           FILE *out,
                           const struct wtl_style *style)
{
    for (size_t i = 0; i < calibrate->warning_count; i++)
        wtl_print_paragraph(out, style, WTL_CAUTION, LABEL, "Warning", calibrate->warnings[i].text);
}

/* ---- the plan ---- */

/* Print the plan as text. */
static void calibrate_plan(const struct wtl_calibrate *calibrate,
                           FILE *out,
                           const struct wtl_style *style)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    char text[700], about[32], most[32], time[32];
    size_t loads = 0;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++)
        loads += wtl_calibrate_runs(&calibrate->loads[i]);
    (void)wtl_calibrate_minutes(about, sizeof about, calibrate->about_s);
    (void)wtl_calibrate_minutes(most, sizeof most, calibrate->most_s);
    (void)wtl_digits_time(time, sizeof time, (double)o->time_ns * 1e-9);
    (void)snprintf(
        text, sizeof text,
        "%zu loads on %u CPUs, %u runs of %s each once power is stable: about %s, at most %s",
        loads, calibrate->threads, o->runs, time, about, most);
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Plan", text);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (!load->asked)
            continue;
        (void)snprintf(text, sizeof text, "%s  %s%s", bound_of(load),
                       load->why[0] ? "cannot run: " : "", load->why[0] ? load->why : load->how);
        wtl_print_paragraph(out, style, load->why[0] ? WTL_CAUTION : WTL_PLAIN, LABEL, load->name,
                            text);
    }
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Stored in", calibrate->path);
    print_warnings(calibrate, out, style);
}

/* ---- text ---- */

static void add_rows(const struct wtl_calibrate *calibrate,
                     const struct wtl_calibrate_load *load,
                     struct wtl_table *table)
{
    char power[64], settled[32], name[80];
    for (size_t item = 0; wtl_calibrate_item(calibrate, item); item++) {
        struct wtl_calibrate_power p;
        if ((item == 1 && !wtl_calibrate_item(calibrate, 2)) ||
            !wtl_calibrate_power_of(calibrate, load, item, &p))
            continue; /* one channel is the total again */
        if (p.quality == WATTLE_ESTIMATED)
            (void)wtl_digits_estimate(power, sizeof power, p.power_w, p.low_w, p.high_w);
        else
            (void)wtl_digits_interval(power, sizeof power, p.power_w, p.half_w);
        (void)snprintf(settled, sizeof settled, "%zu of %zu", load->settled, load->count);
        if (load->settled + load->drifted == 0)
            (void)snprintf(settled, sizeof settled, "unknown");
        (void)snprintf(name, sizeof name, "%s%s", item ? "  " : "",
                       item ? wtl_calibrate_item(calibrate, item) : load->name);
        const char *cells[] = {name, item ? "" : bound_of(load), power, item ? "" : settled};
        wtl_table_row(table, item ? WTL_FAINT : WTL_PLAIN, cells);
    }
}

static int print_table(const struct wtl_calibrate *calibrate,
                       FILE *out,
                       const struct wtl_style *style)
{
    static const struct wtl_column columns[] = {
        {"load", false}, {"for", false}, {"power [W]", true}, {"settled", true}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++)
        add_rows(calibrate, &calibrate->loads[i], table);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static void print_bound(const char *label,
                        const struct wtl_pose_bound *bound,
                        FILE *out,
                        const struct wtl_style *style)
{
    char power[64], text[256];
    (void)wtl_digits_interval(power, sizeof power, bound->power_w, bound->half_w);
    if (label[2] == 'a')
        (void)snprintf(text, sizeof text, "%s W: %s, the load with the highest power", power,
                       bound->name);
    else if (strstr(bound->name, "parallel"))
        (void)snprintf(text, sizeof text,
                       "%s W: %s, for codes that keep all cores busy; choose another with \"wattle "
                       "pose --floor NAME\"",
                       power, bound->name);
    else
        (void)snprintf(text, sizeof text,
                       "%s W: %s, with \"wattle pose --floor %s\", since no load that keeps all "
                       "cores busy was measured",
                       power, bound->name, bound->name);
    wtl_print_paragraph(out, style, WTL_STRONG, LABEL, label, text);
}

static void print_stored(const struct wtl_calibrate *calibrate,
                         FILE *out,
                         const struct wtl_style *style)
{
    char text[2 * sizeof calibrate->path + 200];
    if (calibrate->stored && calibrate->hidden_by[0])
        (void)snprintf(text, sizeof text,
                       "%s; but %s takes precedence and also has this machine: remove its "
                       "sections, or use --calibration",
                       calibrate->path, calibrate->hidden_by);
    else if (calibrate->stored)
        (void)snprintf(text, sizeof text, "%s%s", calibrate->path,
                       calibrate->found_by_default
                           ? "; used by \"wattle pose\""
                           : "; use it with \"wattle pose --calibration FILE\"");
    else
        (void)snprintf(text, sizeof text, "nothing; any earlier calibration is kept");
    wtl_print_paragraph(out, style, calibrate->stored ? WTL_PLAIN : WTL_CAUTION, LABEL, "Stored",
                        text);
}

static void print_machine(const struct wtl_calibrate *calibrate,
                          FILE *out,
                          const struct wtl_style *style)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    char text[512], power[32];
    (void)snprintf(text, sizeof text, "%s%s%s, %u of %u CPUs, governor %s%s%s, turbo %s",
                   any->host ? any->host : "unknown host", calibrate->cpu[0] ? ": " : "",
                   calibrate->cpu, calibrate->threads, calibrate->online,
                   any->governor ? any->governor : "unknown", any->epp ? ", EPP " : "",
                   any->epp ? any->epp : "",
                   any->turbo < 0 ? "unknown"
                   : any->turbo   ? "on"
                                  : "off");
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Machine", text);
    (void)snprintf(text, sizeof text, "%s, %s", any->total.contains, wtl_result_quality_word(any));
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Power is of", text);
    if (isnan(calibrate->idle.total_w))
        return;
    (void)snprintf(text, sizeof text, "%s W, before the first run",
                   wtl_digits_short(power, sizeof power, calibrate->idle.total_w));
    wtl_print_paragraph(out, style, WTL_PLAIN, LABEL, "Idle", text);
}

static int print_text(const struct wtl_calibrate *calibrate,
                      FILE *out,
                      const struct wtl_style *style)
{
    struct wtl_pose_bounds bounds;
    struct wattle_error why = {""};
    print_machine(calibrate, out, style);
    (void)fputc('\n', out);
    int rc = print_table(calibrate, out, style);
    (void)fputc('\n', out);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        if (calibrate->loads[i].count > 0)
            wtl_print_paragraph(out, style, WTL_FAINT, LABEL, calibrate->loads[i].name,
                                calibrate->loads[i].how);
    }
    bool has = wtl_calibrate_bounds(calibrate, 0, &bounds, &why) == 0;
    if (has && wtl_calibrate_sound(&bounds, why.text, sizeof why.text)) {
        print_bound("Pmin", &bounds.pmin, out, style);
        print_bound("Pmax", &bounds.pmax, out, style);
    } else {
        wtl_print_paragraph(out, style, WTL_CAUTION, LABEL, "No bounds", why.text);
    }
    print_stored(calibrate, out, style);
    print_warnings(calibrate, out, style);
    return rc;
}

/* Print the outcome in the requested format. Returns 0 or -ENOMEM. */
static int calibrate_report(const struct wtl_calibrate *calibrate,
                            FILE *out,
                            const struct wtl_style *style,
                            struct wattle_error *err)
{
    int rc = 0;
    bool measured = wtl_calibrate_any(calibrate) != NULL;
    if (calibrate->options.format == WTL_FORMAT_JSON)
        rc = wtl_json_print(
            out, wtl_noun_document("wattle.calibrate/1", &wtl_noun_calibrate, calibrate));
    else if (calibrate->options.format == WTL_FORMAT_CSV)
        wtl_calibrate_csv(calibrate, out);
    else if (measured)
        rc = print_text(calibrate, out, style);
    else
        calibrate_plan(calibrate, out, style);
    if (rc < 0)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}

/* ---- before and after ---- */

static int report(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    if (wtl_calibrate_warn(calibrate) < 0)
        return wtl_no_memory(err);
    return calibrate_report(calibrate, stdout, &style, err);
}

static int calibrate_machine(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    struct wtl_style style = wtl_style_of(stderr);
    int rc = wtl_calibrate_try(calibrate, err);
    rc = rc < 0 ? rc : check_loads(calibrate, err);
    rc = rc < 0 ? rc : wtl_calibrate_idle(calibrate, err);
    rc = rc < 0 ? rc : check_idle(calibrate, err);
    if (rc < 0)
        return rc;
    if (calibrate->idle.total.quality == WATTLE_ESTIMATED)
        wtl_calibrate_leave_out(calibrate);
    wtl_calibrate_time_left(calibrate, &calibrate->about_s, &calibrate->most_s);
    if (wtl_calibrate_warn(calibrate) < 0)
        return wtl_no_memory(err);
    if (!o->run.quiet)
        calibrate_plan(calibrate, stderr, &style);
    rc = wtl_calibrate_measure(calibrate, err);
    if (rc < 0)
        return rc;
    struct wattle_error why = {""};
    int stored = store(calibrate, &why);
    rc = report(calibrate, err);
    if (rc == 0 && stored < 0)
        return wtl_fail(err, stored, "%s", why.text);
    return rc;
}

static int set_up(struct wtl_calibrate *calibrate,
                  const struct wtl_cli_settings *settings,
                  struct wattle_error *err)
{
    int rc = wtl_trials_init(&calibrate->series, &calibrate->options.run, settings, err);
    if (rc == 0 && wtl_calibrate_find(calibrate) < 0)
        rc = wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_calibrate_place(calibrate, err);
    rc = rc < 0 ? rc : check_loads(calibrate, err);
    wtl_calibrate_time_left(calibrate, &calibrate->about_s, &calibrate->most_s);
    calibrate->progress = !calibrate->options.run.quiet && wtl_style_of(stderr).color;
    return rc;
}

static void tear_down(struct wtl_calibrate *calibrate)
{
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (load->repeated)
            wtl_repeat_fini(&load->repeat);
        wtl_run_results_free(load->results, load->count);
        free(load->runs);
        free(load->argv);
        free(load->text);
    }
    if (calibrate->has_idle)
        wtl_result_fini(&calibrate->idle);
    free(calibrate->warnings);
    wtl_calibration_destroy(calibrate->old);
    wtl_trials_fini(&calibrate->series);
}

/* ---- options: one table, one reader ---- */

enum { MOST_RUNS = 100, MOST_THREADS = 65536 };
static const uint64_t SECOND_NS = 1000 * 1000 * 1000, LEAST_TIME_NS = 100 * 1000 * 1000;

/* Accept "stress-ng" for "stress_ng". */
static bool is_name(const char *word, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '\0' || (word[i] == '-' ? '_' : word[i]) != name[i])
            return false;
    }
    return name[n] == '\0';
}

static int take_loads(const struct wtl_command *command, void *place, const char *list)
{
    struct wtl_calibrate_options *options = place;
    options->loads = 0;
    options->named = true;
    for (const char *word = list;; word++) {
        size_t n = strcspn(word, ","), load = 0;
        while (wtl_calibrate_names[load] && !is_name(word, n, wtl_calibrate_names[load]))
            load++;
        if (load == WTL_CALIBRATE_LOADS)
            return wtl_usage(command,
                             "--loads: unknown load \"%.*s\"; loads are omp_serial, omp_parallel, "
                             "mpi_parallel, mpi_serial, fma, stress_ng, firestarter and command",
                             (int)n, word);
        options->loads |= 1u << load;
        word += n;
        if (*word == '\0')
            return 0;
    }
}

static int take_launcher(const struct wtl_command *command, void *place, const char *value)
{
    const char *number = strstr(value, "%d");
    *(const char **)place = value;
    if (number && !strchr(number + 1, '%') && strchr(value, '%') == number)
        return 0;
    return wtl_usage(command,
                     "--launcher \"%s\": must contain %%d once, for the number of ranks, as in "
                     "\"mpirun -np %%d\"",
                     value);
}

static const char *const wait_names[] = {"passive", "active", NULL};

static const struct wtl_option calibrate_option_table[] = {
    {'n', "dry-run", NULL, "show the plan and its duration, run nothing",
     WTL_SETS(struct wtl_calibrate_options, dry_run)},
    {0, "loads", "LIST",
     "only these: omp_serial, omp_parallel, mpi_parallel,\nmpi_serial, fma, stress_ng, "
     "firestarter, command",
     WTL_CALLS_WITH_ALL(take_loads)},
    {'r', "runs", "N", "measure each load N times (default 3)",
     WTL_TAKES_UNSIGNED(struct wtl_calibrate_options, runs, 1, MOST_RUNS)},
    {'t', "time", "DUR", "measure for DUR (default 30s)",
     WTL_TAKES_DURATION(struct wtl_calibrate_options, time_ns, 1)},
    {0, "settle", "DUR", "wait up to DUR for power to settle (default 120s)",
     WTL_TAKES_DURATION(struct wtl_calibrate_options, settle_ns, 0)},
    {0, "threads", "N", "threads or ranks (default: one per CPU)",
     WTL_TAKES_UNSIGNED(struct wtl_calibrate_options, threads, 1, MOST_THREADS)},
    {0, "wait", "HOW", "how threads of omp_serial wait: active or passive\n(default passive)",
     WTL_TAKES_CHOICE(struct wtl_calibrate_options, wait, wait_names)},
    {0, "launcher", "LINE",
     "command that starts %d MPI ranks (default: srun,\nmpirun or mpiexec, whichever is found)",
     WTL_CALLS(struct wtl_calibrate_options, launcher, take_launcher)},
    {0, "load-command", "LINE",
     "another load for Pmax, run with \"sh -c\" and killed\nwhen it has been measured",
     WTL_TAKES_TEXT(struct wtl_calibrate_options, command)},
    {'o', "output", "FILE", "store in FILE instead of your calibration.conf",
     WTL_TAKES_FILE(struct wtl_calibrate_options, output)},
    {0, "seed", "N", "seed of the random order (default: random)",
     WTL_TAKES_U64(struct wtl_calibrate_options, seed, 0, INT64_MAX)},
    WTL_OPTION_FORMAT(struct wtl_calibrate_options, format),
    WTL_RUN_OPTION_SENSOR(struct wtl_calibrate_options, run.sensors),
    WTL_RUN_OPTION_REQUIRE(struct wtl_calibrate_options, run.require_measured),
    {'q', "quiet", NULL, "print no plan, no progress and no warnings",
     WTL_SETS(struct wtl_calibrate_options, run.quiet)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int check_command(const struct wtl_calibrate_options *options)
{
    bool wants_command = options->named && options->loads & 1u << WTL_CALIBRATE_COMMAND;
    if (options->command && !*options->command)
        return wtl_usage(&wtl_pose_calibrate_command, "--load-command must not be empty");
    if (wants_command && !options->command)
        return wtl_usage(&wtl_pose_calibrate_command, "--loads command requires --load-command");
    if (options->command && options->named && !wants_command)
        return wtl_usage(&wtl_pose_calibrate_command,
                         "--load-command requires \"command\" in --loads");
    return 0;
}

static int check(const struct wtl_calibrate_options *options)
{
    if (options->time_ns < LEAST_TIME_NS)
        return wtl_usage(&wtl_pose_calibrate_command, "--time must be at least 0.1s");
    if (options->time_ns > 3600 * SECOND_NS || options->settle_ns > 3600 * SECOND_NS)
        return wtl_usage(&wtl_pose_calibrate_command,
                         "--time and --settle must be at most an hour");
    if (options->output && !*options->output)
        return wtl_usage(&wtl_pose_calibrate_command, "--output must not be empty");
    if (options->dry_run && options->format == WTL_FORMAT_CSV)
        return wtl_usage(&wtl_pose_calibrate_command,
                         "--dry-run has no results for csv; use --format text or json");
    return check_command(options);
}

/* Returns WTL_GO_ON, or the exit status after a message. */
static int calibrate_options_parse(struct wtl_calibrate_options *options,
                                   const struct wtl_config *config,
                                   int argc,
                                   char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_calibrate_options){.loads = (1u << WTL_CALIBRATE_LOADS) - 1,
                                              .runs = 3,
                                              .time_ns = 30 * SECOND_NS,
                                              .settle_ns = 120 * SECOND_NS,
                                              .seed = wtl_run_options_seed()};
    wtl_run_options_init(&options->run);
    options->run.command = &wtl_pose_calibrate_command;
    if (wtl_run_options_configure(&options->run, config) < 0)
        return wtl_pose_calibrate_command.usage_exit;
    int status = wtl_command_read(&wtl_pose_calibrate_command, argc, argv, options, &line);
    if (status != WTL_GO_ON)
        return status;
    status = check(options);
    return status ? status : WTL_GO_ON;
}

/* ---- the verb ---- */

static int run(int argc, char **argv)
{
    static struct wtl_calibrate calibrate; /* too large for the stack */
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    if (wtl_cli_settings_load(&settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_pose_calibrate_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    int status = calibrate_options_parse(&calibrate.options, settings.config, argc, argv);
    if (status != WTL_GO_ON) {
        wtl_cli_settings_fini(&settings);
        return status;
    }
    int rc = set_up(&calibrate, &settings, &err);
    if (rc == 0)
        rc = calibrate.options.dry_run ? report(&calibrate, &err)
                                       : calibrate_machine(&calibrate, &err);
    if (rc < 0 && rc != -EINTR)
        wtl_complain(&wtl_pose_calibrate_command, "%s", err.text);
    if (rc == -EINTR)
        wtl_complain(&wtl_pose_calibrate_command,
                     "interrupted: nothing was stored, and no load is running");
    int deadly = rc == -EINTR ? wtl_trials_deadly_signal(&calibrate.series, true) : 0;
    tear_down(&calibrate);
    wtl_cli_settings_fini(&settings);
    if (deadly)
        wtl_signals_die(deadly);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_pose_calibrate_command = {
    .verb = "pose calibrate",
    .run = run,
    .operands = "",
    .summary = "measure this machine's minimum and maximum power when busy",
    .text = "Runs loads one after another and measures their power: those of the POSE paper\nfor "
            "Pmin, and the most power-hungry one for Pmax. Stores the result for \"wattle\npose\". "
            "Takes about ten minutes, during which nothing else should run. Changes\nno settings: "
            "set governor and turbo first, as they are when codes run.\nExit status: 0 measured "
            "and stored; 1 failed, nothing was stored; 2 usage\nerror.\n",
    .options = calibrate_option_table,
    .examples = "wattle pose calibrate --dry-run\n"
                "sudo wattle pose calibrate\n"
                "wattle pose calibrate --loads omp_parallel,fma --runs 5 -o node.conf\n"
                "wattle pose calibrate --launcher 'mpirun --use-hwthread-cpus -np %d'\n"
                "wattle pose calibrate --load-command './xhpl'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
