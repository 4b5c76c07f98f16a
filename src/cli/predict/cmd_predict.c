/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle predict": which run of a model this is, and what it takes to its end, once or while its trace is still being
 * written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/cluster/run_name.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report/report_figure.h"
#include "cli/run_words.h"
#include "report/json_value.h"
#include "report/predict/predict_report.h"
#include "trace/repair.h"

enum { CAPTION = 1024, QUIET_ROUNDS = 10 };

struct predict {
    double part, idle_w;
    bool follow, derive, force, verbose;
    uint64_t every_ns;
    struct wtl_words platforms;
    const char *here, *plot;
    enum wtl_format format;

    const char *model_path;
    char *trace;
    struct wtl_phase_model model;
};

static int take_idle(const struct wtl_command *command, void *place, const char *value)
{
    double *watts = place;
    if (wtl_parse_double(value, watts) < 0 || !(*watts >= 0) || !isfinite(*watts))
        return wtl_usage(command, "--idle: \"%s\" is not a power in watts", value);
    return 0;
}

static const struct wtl_option options_table[] = {
    {0, "partial", "PERCENT",
     "use only the first part of the trace, such as 20%, and\ncompare with "
     "the rest",
     WTL_TAKES_PERCENT(struct predict, part)},
    {0, "follow", NULL, "predict again and again while the trace is written",
     WTL_SETS(struct predict, follow)},
    {0, "every", "DUR", "with --follow: how often (default 1s)",
     WTL_TAKES_DURATION(struct predict, every_ns, 1000000)},
    {0, "platform", "NAME|MODEL",
     "also what it would take there: a platform of the model, or\n"
     "another model; may be repeated",
     WTL_TAKES_LIST(struct predict, platforms)},
    {0, "here", "NAME",
     "platform on which the run was recorded (default: the\nprocessor's model, from "
     "the trace)",
     WTL_TAKES_TEXT(struct predict, here)},
    {0, "derive", NULL, "energy so far from counters alone, even with a meter",
     WTL_SETS(struct predict, derive)},
    {0, "idle", "WATTS", "power of the idle system (default: the letter XXX)",
     WTL_CALLS(struct predict, idle_w, take_idle)},
    {'o', "plot", "FILE",
     "draw energy so far and to the end: FILE.svg, .pdf or\n.png, or \"-\" for SVG on "
     "stdout. Prints the caption",
     WTL_TAKES_TEXT(struct predict, plot)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct predict, force)},
    WTL_OPTION_FORMAT(struct predict, format),
    {'v', "verbose", NULL, "also print all letters to come", WTL_SETS(struct predict, verbose)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int check_follow(const struct wtl_command_line *line, const struct predict *p)
{
    const struct wtl_command *command = &wtl_predict_command;
    if (!p->follow)
        return wtl_option_given(command, line, "every")
                   ? wtl_usage(command, "--every requires --follow")
                   : WTL_GO_ON;
    if (wtl_option_given(command, line, "partial"))
        return wtl_usage(command, "--follow cannot be used with --partial");
    if (p->plot)
        return wtl_usage(command, "--follow cannot be used with --plot");
    if (p->format == WTL_FORMAT_CSV)
        return wtl_usage(command, "--follow cannot be used with --format csv");
    return WTL_GO_ON;
}

static int check(const struct wtl_command_line *line, const struct predict *p)
{
    const struct wtl_command *command = &wtl_predict_command;
    int status;
    if (line->count != 2)
        return wtl_usage(command, line->count < 2 ? "a model and a trace are required"
                                                  : "more than a model and a trace given");
    if (p->part > 1)
        return wtl_usage(command, "--partial must be at most 100%%");
    if ((status = check_follow(line, p)) != WTL_GO_ON)
        return status;
    if (p->plot && wtl_option_given(command, line, "format"))
        return wtl_usage(command, "--plot cannot be used with --format");
    if (p->force && !p->plot)
        return wtl_usage(command, "--force requires --plot FILE");
    return WTL_GO_ON;
}

/* ---- candidate platforms ---- */

static bool has_platform(const struct wtl_phase_model *model, const char *name, size_t before)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(model->runs[i].platform, name) == 0)
            return true;
    }
    return false;
}

/* The run of the program that the estimates start from: of this platform, the nearest one. */
static bool find_reference(const struct predict *p,
                           const struct wtl_prediction *prediction,
                           const char *platform,
                           struct wtl_match_run *ret)
{
    for (size_t i = 0; prediction->known && i < p->model.run_count; i++) {
        const struct wtl_model_run *run = &p->model.runs[i];
        const char *at = prediction->reference ? prediction->reference : platform;
        bool there = !at[0] || !run->platform[0] || strcmp(run->platform, at) == 0;
        if (there && strcmp(run->name, prediction->program) == 0) {
            *ret = wtl_match_run_of(run);
            return true;
        }
    }
    return false;
}

static int add_model(const struct predict *p,
                     const char *path,
                     const struct wtl_match_run *reference,
                     struct wtl_prediction *prediction,
                     struct wattle_error *err)
{
    struct wtl_phase_model other = {0};
    int rc = wtl_phase_model_read(path, &other, err);
    if (rc == 0 && other.run_count == 0)
        rc = wtl_fail(err, -ENODATA, "%s: the model has no runs; learn it from at least one trace",
                      path);
    for (size_t i = 0; rc == 0 && i < other.run_count; i++) {
        const char *name = other.runs[i].platform;
        if (!has_platform(&other, name, i))
            rc = wtl_predict_platform(&p->model, reference, &other, name, prediction, err);
    }
    wtl_phase_model_fini(&other);
    return rc;
}

static int add_platforms(const struct predict *p,
                         const char *platform,
                         struct wtl_prediction *prediction,
                         struct wattle_error *err)
{
    struct wtl_match_run reference;
    if (p->platforms.count == 0)
        return 0;
    if (!find_reference(p, prediction, platform, &reference))
        return prediction->known
                   ? wtl_fail(err, -ENODATA,
                              "the model has no run of %s on this platform to start from",
                              prediction->program)
                   : 0; /* an unknown run: nothing to compare */
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->platforms.count; i++) {
        const char *word = p->platforms.items[i];
        if (has_platform(&p->model, word, p->model.run_count))
            rc = wtl_predict_platform(&p->model, &reference, &p->model, word, prediction, err);
        else if (access(word, F_OK) == 0)
            rc = add_model(p, word, &reference, prediction, err);
        else
            rc = wtl_fail(err, -ENOENT,
                          "--platform: \"%s\" is neither a platform of %s nor a model; its first "
                          "platform is \"%s\"",
                          word, p->model_path,
                          p->model.run_count > 0 ? p->model.runs[0].platform : "");
    }
    return rc;
}

/* ---- one prediction ---- */

static int plot(const struct predict *p,
                const struct wtl_prediction_report *report,
                struct wattle_error *err)
{
    struct wtl_output output = {0};
    enum wtl_picture picture = WTL_PICTURE_SVG;
    char caption[CAPTION] = "";
    bool standard = strcmp(p->plot, "-") == 0;
    int rc = standard ? 0 : wtl_picture_of(p->plot, &picture, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, p->plot, p->force, err);
    if (rc < 0)
        return rc;
    rc = wtl_prediction_figure_draw(report, picture, output.stream, caption, sizeof caption, err);
    rc = rc < 0 ? rc : wtl_output_commit(&output, err);
    if (rc < 0)
        return wtl_output_fail(&output, rc, err);
    return standard ? 0 : wtl_report_figure_caption(p->plot, caption, err);
}

/* live: the trace goes on. */
static int print(const struct predict *p,
                 const struct wtl_prediction_report *report,
                 bool live,
                 struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    style.verbose = p->verbose;
    if (p->plot)
        return plot(p, report, err);
    if (live && p->format == WTL_FORMAT_TEXT) {
        wtl_line_prediction(stdout, report);
        return wtl_flush(stdout, err);
    }
    return wtl_report_prediction(stdout, p->format, report, &style, err);
}

static int predict(const struct predict *p, bool live, struct wattle_error *err)
{
    struct wtl_subject subject;
    struct wtl_prediction prediction;
    struct wtl_subject_request request = {.part = p->part, .derive = p->derive};
    int rc = wtl_subject_read(&subject, p->trace, &p->model, &request, err);
    if (rc < 0)
        return rc;
    struct wtl_prediction_question question = {
        .model = &p->model,
        .nodes = subject.nodes,
        .own = subject.own,
        .own_alphabet = &subject.own_alphabet,
        .node_count = subject.node_count,
        .platform = p->here ? p->here : subject.platform,
        .done_s = subject.done_s,
        .done_j = subject.done_j,
        .done_sd_j = subject.done_sd_j,
        .idle_w = p->idle_w,
    };
    rc = wtl_predict(&question, &prediction, err);
    if (rc == 0) {
        const struct wtl_prediction_report report = {
            .model = p->model_path,
            .trace = p->trace,
            .platform = question.platform[0] ? question.platform : NULL,
            .part = p->part,
            .subject = &subject,
            .prediction = &prediction};
        rc = add_platforms(p, question.platform, &prediction, err);
        rc = rc < 0 ? rc : print(p, &report, live, err);
        wtl_prediction_fini(&prediction);
    }
    wtl_subject_fini(&subject);
    return rc;
}

/* ---- while the run goes on ---- */

struct growth {
    off_t size;
    unsigned rounds; /* for which it has not grown */
};

/* A trace that does not grow and that nobody holds was cut off: it has no footer to wait for. */
static bool is_cut_off(const char *path, struct growth *growth)
{
    struct stat status;
    if (stat(path, &status) == 0 && status.st_size != growth->size)
        *growth = (struct growth){.size = status.st_size};
    else
        growth->rounds++;
    return growth->rounds > 0 && growth->rounds % QUIET_ROUNDS == 0 && !wtl_trace_has_writer(path);
}

/* 1: it has ended; 0: it goes on; or a negative error. */
static int has_ended(const char *path, struct growth *growth, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_trace_reader_status status;
    int rc = wtl_trace_reader_open(path, &reader, err);
    if (rc < 0)
        return rc;
    wtl_trace_reader_status(reader, &status);
    wtl_trace_reader_close(reader);
    if (status.has_footer || !is_cut_off(path, growth))
        return status.has_footer;
    wtl_complain(&wtl_predict_command, "%s was cut off: it has no end, and no process writes it",
                 path);
    return 1;
}

static int follow(const struct predict *p, struct wattle_error *err)
{
    const struct timespec pause = {.tv_sec = (time_t)(p->every_ns / 1000000000u),
                                   .tv_nsec = (long)(p->every_ns % 1000000000u)};
    struct growth growth = {.size = -1};
    int ended = 0;
    if (wtl_run_name_is_run(p->trace))
        return wtl_fail(err, -EINVAL, "%s: --follow needs the trace of one node", p->trace);
    while (ended == 0) {
        struct wattle_error why = {""};
        ended = has_ended(p->trace, &growth, err);
        if (ended < 0)
            return ended;
        int rc = predict(p, ended == 0, &why);
        bool early = rc == -ENODATA && ended == 0; /* too short for phases */
        if (rc < 0 && !early) {
            *err = why;
            return rc;
        }
        if (ended == 0)
            (void)nanosleep(&pause, NULL);
    }
    return 0;
}

/* ---- the verb ---- */

static int work(struct predict *p, const struct wtl_command_line *line, struct wattle_error *err)
{
    p->model_path = line->words[0];
    int rc = wtl_phase_model_read(p->model_path, &p->model, err);
    if (rc == 0 && p->model.run_count == 0)
        rc = wtl_fail(err, -ENODATA, "%s: the model has no runs; learn it from at least one trace",
                      p->model_path);
    rc = rc < 0 ? rc : wtl_run_word_single(&wtl_predict_command, line->words[1], &p->trace, err);
    if (rc < 0)
        return rc;
    return p->follow ? follow(p, err) : predict(p, false, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_predict_command;
    struct wtl_command_line line;
    struct wattle_error err = {""};
    struct predict p = {.part = 1, .idle_w = (double)NAN, .every_ns = 1000000000u};
    int status = wtl_command_read(command, argc, argv, &p, &line);
    if (status == WTL_GO_ON)
        status = check(&line, &p);
    if (status == WTL_GO_ON) {
        status = WTL_EXIT_OK;
        if (work(&p, &line, &err) < 0) {
            wtl_complain(command, "%s", err.text);
            status = WTL_EXIT_FAILED;
        }
    }
    wtl_phase_model_fini(&p.model);
    free(p.platforms.items);
    free(p.trace);
    return status;
}

const struct wtl_command wtl_predict_command = {
    .verb = "predict",
    .run = run,
    .operands = "MODEL TRACE|DIR",
    .summary = "which known run this is, and its energy at the end",
    .text =
        "Compares a run, or its beginning, with the runs of a model of \"wattle phases learn\":\n"
        "which of them it is and how sure (\"unknown\" is an answer), the letters to come,\n"
        "energy and time at the end with 95 % intervals, and what other platforms would take.\n",
    .options = options_table,
    .examples = "wattle predict cluster.model app.wtl\n"
                "wattle predict --partial 20% cluster.model app.wtl\n"
                "wattle predict --follow cluster.model running.wtl\n"
                "wattle predict --platform other.model cluster.model app.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
};
