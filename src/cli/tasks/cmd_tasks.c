/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle tasks": what each type of task of a run costs. With "calibrate" as the first word, that action. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_name.h"
#include "analysis/cluster/run_result.h"
#include "analysis/tasks/task_study.h"
#include "analysis/tasks/waste.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/run_words.h"
#include "report/tasks/schedule_report.h"
#include "report/tasks/tasks_report.h"
#include "report/tasks/waste_text.h"

enum { RESAMPLES = 400 };
/* Watts, and pure numbers, beyond which nothing is meant. */
static const double most = 1e9;

struct tasks {
    struct wtl_task_request what;
    unsigned by, method;
    const char *calibration;
    bool no_intervals, verbose;
    struct wtl_schedule_request schedule;
    struct wtl_tasks_view view;
    enum wtl_format format;
};

static const char *const by_names[] = {"task", "region", NULL};

static int too_large(const struct wtl_command *command, const char *value)
{
    return wtl_usage(command, "%s is too large: at most 1e9", value);
}

static int take_watts(const struct wtl_command *command, void *place, const char *value)
{
    double *watts = place;
    if (wtl_parse_double(value, watts) < 0 || !(*watts >= 0))
        return wtl_usage(command, "\"%s\" is not a power in watts", value);
    return *watts > most ? too_large(command, value) : 0;
}

/* More than 0. */
static int take_factor(const struct wtl_command *command, void *place, const char *value)
{
    double *factor = place;
    if (wtl_parse_double(value, factor) < 0 || !(*factor > 0))
        return wtl_usage(command, "\"%s\" is not a number above 0", value);
    return *factor > most ? too_large(command, value) : 0;
}

static const struct wtl_option options_table[] = {
    {0, "by", "WHAT",
     "types are those of task (default), or region: of the\ninnermost region of a thread",
     WTL_TAKES_CHOICE(struct tasks, by, by_names)},
    {0, "method", "METHOD",
     "nnls: no negative powers (default); ols: least squares;\npaper: as its authors published it",
     WTL_TAKES_CHOICE(struct tasks, method, wtl_task_method_names)},
    {'c', "channel", "NAME", "divide the energy of this channel (default: those of the\ntotal)",
     WTL_TAKES_TEXT(struct tasks, what.channel)},
    {0, "idle-power", "WATTS", "power of the idle machine, P_Y",
     WTL_CALLS(struct tasks, what.idle_w, take_watts)},
    {0, "static-power", "WATTS", "what it takes more as soon as any task runs, P_S",
     WTL_CALLS(struct tasks, what.static_w, take_watts)},
    {0, "calibration", "FILE", "use this calibration.conf",
     WTL_TAKES_INPUT(struct tasks, calibration)},
    {0, "no-lag", NULL, "sensors are where their times say: do not search",
     WTL_SETS(struct tasks, what.no_lag)},
    {0, "no-intervals", NULL, "leave out the intervals, which take most of the time",
     WTL_SETS(struct tasks, no_intervals)},
    {0, "workers", NULL, "also print the energy of each core or thread",
     WTL_SETS(struct tasks, view.workers)},
    {0, "active", NULL, "also print the power of tasks by the number of active\nones",
     WTL_SETS(struct tasks, view.active)},
    {0, "cap", "WATTS", "instead: how long the tasks would take if the machine\nmay take no more",
     WTL_CALLS(struct tasks, schedule.cap_w, take_factor)},
    {0, "cores", "N", "--cap: on N cores (default: the threads of the run)",
     WTL_TAKES_UNSIGNED(struct tasks, schedule.cores, 1, WTL_SCHEDULE_CORES)},
    {0, "exponent", "A", "--cap: a core at speed s takes s^A of its power (default 2)",
     WTL_CALLS(struct tasks, schedule.exponent, take_factor)},
    {0, "slowest", "S", "--cap: lowest speed (default 0.4 of the full one)",
     WTL_CALLS(struct tasks, schedule.slowest, take_factor)},
    WTL_OPTION_FORMAT(struct tasks, format),
    {'v', "verbose", NULL, "all tables", WTL_SETS(struct tasks, verbose)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* The calibration of the trace's node, if there is one. A named file must have it. */
static int load_calibration(const struct tasks *t,
                            const char *path,
                            struct wtl_calibration **ret,
                            struct wattle_error *err)
{
    struct wtl_trace_reader *reader;
    char file[4096];
    *ret = NULL;
    int rc = wtl_trace_reader_open(path, &reader, err);
    if (rc < 0)
        return rc;
    const char *host = wtl_trace_reader_meta(reader, "host.name");
    rc = wtl_calibration_load(wtl_world_real(), t->calibration, "tasks", host ? host : "", "total",
                              ret, file, sizeof file, err);
    wtl_trace_reader_close(reader);
    return rc == -ENOENT && !t->calibration ? 0 : rc;
}

/* Inefficient stretches, below the rest of the text. */
static int print_waste(const char *path, const struct wtl_style *style, struct wattle_error *err)
{
    const struct wtl_waste_rule rule = WTL_WASTE_RULE;
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result = wtl_result_unknown();
    struct wtl_activity_lanes lanes = {0};
    struct wtl_waste waste = {0};
    int rc = wtl_trace_reader_open(path, &reader, err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, path, &result, err);
    rc = rc < 0 ? rc : wtl_activity_lanes_read(reader, &lanes, err);
    rc = rc < 0 ? rc : wtl_waste_find(reader, &lanes, &result, &rule, &waste, err);
    if (rc == 0 &&
        (rc = wtl_text_waste(stdout, style, &lanes, &waste, result.start_monotonic_ns)) < 0)
        (void)wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_flush(stdout, err);
    wtl_waste_fini(&waste);
    wtl_activity_lanes_fini(&lanes);
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

static int print(struct tasks *t,
                 const char *path,
                 const struct wtl_task_study *study,
                 const struct wtl_style *style,
                 struct wattle_error *err)
{
    struct wtl_schedule_plan plan;
    if (t->schedule.cap_w > 0) {
        int rc = wtl_schedule_plan_make(study, &t->schedule, &plan, err);
        return rc < 0 ? rc : wtl_report_schedule(stdout, t->format, &plan, style, err);
    }
    int rc = wtl_report_tasks(stdout, t->format, study, &t->view, style, err);
    return rc < 0 || t->format != WTL_FORMAT_TEXT ? rc : print_waste(path, style, err);
}

static int find(struct tasks *t, const char *word, struct wattle_error *err)
{
    struct wtl_task_study study = {.reader = NULL};
    struct wtl_calibration *calibration = NULL;
    struct wtl_style style = wtl_style_of(stdout);
    char *name = NULL;
    style.verbose = t->verbose;
    int rc = wtl_run_word_single(&wtl_tasks_command, word, &name, err);
    if (rc == 0 && wtl_run_name_is_run(name))
        rc = wtl_fail(err, -EINVAL, "%s is a run of many nodes; name the trace of one", name);
    rc = rc < 0 ? rc : load_calibration(t, name, &calibration, err);
    t->what.calibration = calibration;
    rc = rc < 0 ? rc : wtl_task_study_read(name, &t->what, &study, err);
    rc = rc < 0 ? rc : print(t, name, &study, &style, err);
    wtl_task_study_fini(&study);
    wtl_calibration_destroy(calibration);
    free(name);
    return rc;
}

static int check_schedule(const struct wtl_schedule_request *schedule)
{
    const struct wtl_command *command = &wtl_tasks_command;
    bool more = schedule->cores > 0 || schedule->exponent > 0 || schedule->slowest > 0;
    if (schedule->cap_w <= 0 && more)
        return wtl_usage(command, "--cores, --exponent and --slowest belong to --cap");
    if (schedule->exponent > 0 && !(schedule->exponent >= 1 && schedule->exponent <= 4))
        return wtl_usage(command, "--exponent must be 1 to 4");
    if (schedule->slowest > 1)
        return wtl_usage(command, "--slowest is a part of the full speed: at most 1");
    return WTL_GO_ON;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_tasks_command;
    struct wtl_command_line line;
    struct wattle_error err = {""};
    struct tasks t = {
        .what = {.idle_w = (double)NAN, .static_w = (double)NAN, .resamples = RESAMPLES}};
    if (argc > 1 && strcmp(argv[1], "calibrate") == 0)
        return wtl_tasks_calibrate_command.run(argc - 1, argv + 1);
    int status = wtl_command_read(command, argc, argv, &t, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count != 1)
        return wtl_usage(command, line.count == 0 ? "no trace given" : "one trace at a time");
    t.what.by = t.by == 1 ? WTL_BY_REGION : WTL_BY_TASK;
    t.what.method = (enum wtl_task_method)t.method;
    t.what.resamples = t.no_intervals ? 0 : RESAMPLES;
    status = check_schedule(&t.schedule);
    if (status != WTL_GO_ON)
        return status;
    t.view.workers |= t.verbose;
    t.view.active |= t.verbose;
    if (find(&t, line.words[0], &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_tasks_command = {
    .verb = "tasks",
    .run = run,
    .operands = "TRACE | calibrate",
    .summary = "what each type of task of a run costs",
    .text =
        "Divides the measured energy of a run over the types of its tasks, from the times\nat "
        "which "
        "they ran and the power of each sensor interval: watts and joules for each\ntype, with "
        "intervals, beside those of the idle machine and what is not explained.\nTypes that cannot "
        "be told apart are named. \"wattle tasks calibrate\" measures what\nthe machine takes "
        "whatever runs.\n",
    .options = options_table,
    .examples = "wattle run --tasks -o app.wtl -- ./app && wattle tasks app.wtl\n"
                "wattle tasks --active --workers app.wtl\n"
                "wattle tasks --by region app.wtl\n"
                "wattle tasks --cap 200 app.wtl\n"
                "wattle tasks --format json app.wtl | jq '.types[] | {type, power_w}'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
