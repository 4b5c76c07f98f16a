/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle report": a trace as a self-contained HTML page. */
#define _GNU_SOURCE
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "analysis/cluster/run_set.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "cli/output.h"
#include "cli/pose/pose_quantity.h"
#include "cli/report/cmd_report.h"
#include "cli/report/report_figure.h"
#include "cli/run/progress.h"
#include "cli/run_words.h"
#include "model/flag.h"
#include "plot/canvas.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/page.h"
#include "report/redact.h"
#include "report/result/report_document.h"
#include "report/table.h"
#include "trace/reader.h"

enum format { AS_HTML, AS_JSON };
enum { LONG_BYTES = 100000000 }; /* trace size from which progress is shown */

static const char *const format_names[] = {"html", "json", NULL};

struct report_request {
    const char *word; /* the first, as it was typed */
    const char *trace, *output;
    double reference_w; /* NaN = none */
    enum format format;
    struct wtl_trace_list names; /* of the runs; trace is the first */
    const char **labels;         /* their names in a comparison; NULL: run.id */
    size_t words;                /* of the command line */
    bool force, of_runs, redact, serve;
    uint64_t port; /* 0 = one that is free */
    struct wtl_report_figure figure;
};

/* Show the current step; only on a terminal and for large traces. */
static void show_step(void *context, const char *step)
{
    wtl_progress_step(context, step, 0, 0);
}

/* Warnings about the report that the command can give immediately. */
static void warn_about_trace(const struct report_request *request,
                             struct wtl_trace_reader *reader,
                             const struct wtl_result *result)
{
    uint64_t first_ns, last_ns;
    for (size_t i = 0; i < result->flag_count; i++)
        if (wtl_flag_is_of_trace(result->flags[i].name))
            wtl_complain(&wtl_report_command, "%s: %s", request->trace, result->flags[i].text);
    if (wtl_trace_reader_span(reader, &first_ns, &last_ns) < 0)
        wtl_complain(&wtl_report_command,
                     "%s: no samples, so nothing can be drawn; run \"wattle sensors\" where it was "
                     "recorded to see what can be measured",
                     request->trace);
    else if (first_ns == last_ns)
        wtl_complain(&wtl_report_command,
                     "%s: all samples have the same time, so no power can be drawn; measure "
                     "longer, or with a shorter --interval",
                     request->trace);
}

static int make(struct wtl_trace_reader *reader,
                const struct report_request *request,
                struct wtl_result *result,
                struct wtl_report_lanes *keep,
                json_t **ret_document,
                struct wattle_error *err)
{
    struct wtl_trace_reader_status status;
    wtl_trace_reader_status(reader, &status);
    struct wtl_progress progress;
    wtl_progress_begin(&progress, true, false);
    if (status.bytes >= LONG_BYTES) /* its first steps take longer than the time without progress */
        progress.begin_ns = 1;
    show_step(&progress, "result");
    int rc = wtl_run_result_read(reader, request->trace, result, err);
    if (rc < 0)
        return rc;
    rc = wtl_report_document(reader, result, show_step, &progress, keep, ret_document, err);
    wtl_progress_clear(&progress);
    return rc;
}

/* The document, written; its reference is dropped. */
static int print(struct wtl_output *output,
                 const struct report_request *request,
                 const struct wtl_result *result,
                 json_t *document,
                 struct wattle_error *err)
{
    if (request->format == AS_JSON)
        return wtl_json_print(output->stream, document);
    int rc = wtl_page_write(output->stream, document, result, false, err);
    json_decref(document);
    return rc;
}

static void say_where(const struct report_request *request)
{
    struct stat about;
    char size[32];
    if (strncmp(request->output, "fd:", 3) != 0 && stat(request->output, &about) == 0 &&
        S_ISREG(about.st_mode))
        wtl_print_sentence(stdout, "%s: %s; open it in a browser\n", request->output,
                           wtl_digits_bytes(size, sizeof size, (double)about.st_size));
}

static int redact(json_t *document, const struct wtl_trace_reader *reader)
{
    struct wtl_redactor *redactor = wtl_redactor_new();
    if (!redactor)
        return -ENOMEM;
    wtl_redactor_add_secrets_of(redactor, reader);
    int rc = wtl_redact(document, redactor);
    wtl_redactor_free(redactor);
    return rc;
}

static int report(const struct report_request *request, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result = wtl_result_unknown();
    struct wtl_output output = {0};
    json_t *document = NULL;
    int rc = request->format == AS_HTML ? wtl_page_there(err) : 0;
    rc = rc < 0 ? rc : wtl_trace_reader_open(request->trace, &reader, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, request->output, request->force, err);
    bool opened = rc == 0;
    rc = rc < 0 ? rc : make(reader, request, &result, NULL, &document, err);
    if (rc == 0 && request->redact && (rc = redact(document, reader)) < 0) {
        json_decref(document);
        (void)wtl_no_memory_for(err, "the report");
    }
    rc = rc < 0 ? rc : print(&output, request, &result, document, err);
    if (rc == 0)
        rc = wtl_output_commit(&output, err);
    else if (opened)
        (void)wtl_output_fail(&output, rc, err);
    if (rc == 0) {
        warn_about_trace(request, reader, &result);
        if (request->format == AS_HTML && request->output)
            say_where(request);
    }
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

/* The page on request instead of in a file. */
static int serve(const struct report_request *request, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result = wtl_result_unknown();
    struct wtl_report_lanes lanes = {0};
    json_t *document = NULL;
    int rc = wtl_page_there(err);
    rc = rc < 0 ? rc : wtl_trace_reader_open(request->trace, &reader, err);
    rc = rc < 0 ? rc : make(reader, request, &result, &lanes, &document, err);
    if (rc == 0 && request->redact && redact(document, reader) < 0)
        rc = wtl_no_memory_for(err, "the report");
    if (rc == 0) {
        warn_about_trace(request, reader, &result);
        const struct wtl_report_serve served = {.reader = reader,
                                                .result = &result,
                                                .lanes = &lanes,
                                                .document = document,
                                                .port = (uint16_t)request->port};
        rc = wtl_report_serve(&served, err);
    }
    json_decref(document);
    wtl_report_lanes_fini(&lanes);
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

/* "app.html" for "app.wtl" or the folder "app/", beside it; "run.html" for ".". */
static char *name_beside(const char *trace)
{
    size_t length = strlen(trace);
    char *name = NULL;
    while (length > 1 && trace[length - 1] == '/')
        length--;
    if (length == 0 || strcmp(trace, ".") == 0 || strcmp(trace, "..") == 0 ||
        trace[length - 1] == '/')
        return strdup("run.html");
    if (length > 4 && strcmp(trace + length - 4, ".wtl") == 0 && trace[length - 5] != '/')
        length -= 4;
    return asprintf(&name, "%.*s.html", (int)length, trace) < 0 ? NULL : name;
}

/* "2300W", "2.3kW"; as everywhere, a bare number is in watts. */
static int take_reference(const struct wtl_command *command, void *place, const char *text)
{
    double w;
    if (wtl_pose_quantity(text, WTL_POSE_OF_POWER, &w) < 0 || !(w > 0))
        return wtl_usage(
            command, "--reference: \"%s\" is not a power above 0 W; write 2300W or 2.3kW", text);
    *(double *)place = w;
    return 0;
}

static int take_port(const struct wtl_command *command, void *place, const char *text)
{
    uint64_t port;
    if (wtl_parse_u64(text, &port) < 0 || port < 1 || port > 65535)
        return wtl_usage(command, "--port: \"%s\" is not a port; give a number from 1 to 65535",
                         text);
    *(uint64_t *)place = port;
    return 0;
}

static const struct wtl_option options_table[] = {
    {'o', "output", "FILE",
     "write to FILE, which appears only when it is\ncomplete; \"-\" is standard output (default: "
     "the\ntrace's name with .html; json: standard output)",
     WTL_TAKES_TEXT(struct report_request, output)},
    {0, "format", "FORMAT", "html, or json with the data of the page\n(default html)",
     WTL_TAKES_CHOICE(struct report_request, format, format_names)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct report_request, force)},
    {0, "redact", NULL,
     "leave out what identifies people and machines:\nhost and user names, paths, arguments, "
     "process\n"
     "numbers, addresses, serial numbers, environment",
     WTL_SETS(struct report_request, redact)},
    {0, "serve", NULL,
     "show the page at an address of this machine instead\nof writing it, with the details that a "
     "file has no\nroom for, until you press Ctrl-C",
     WTL_SETS(struct report_request, serve)},
    {0, "port", "PORT", "for --serve: the port (default: one that is free)",
     WTL_CALLS(struct report_request, port, take_port)},
    {0, "reference", "POWER",
     "for runs: draw a line at this power in the box plots\nof node power, such as 2300W or 2.3kW",
     WTL_CALLS(struct report_request, reference_w, take_reference)},
    WTL_REPORT_FIGURE_OPTIONS(struct report_request, figure),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* Returns 0, or the exit status of the usage error after a message. */
static int check_serve(const struct report_request *request, const struct wtl_command_line *line)
{
    if (request->port && !request->serve)
        return wtl_usage(&wtl_report_command, "--port requires --serve");
    if (request->serve && (request->figure.path || request->output ||
                           wtl_option_given(&wtl_report_command, line, "format")))
        return wtl_usage(&wtl_report_command,
                         "--serve shows the page and cannot be used with --output, --format or "
                         "--plot");
    if (request->serve && request->of_runs)
        return wtl_usage(&wtl_report_command, "--serve is for the trace of one node");
    return 0;
}

/* A file whose name says that it is something else. Returns 0, or the exit status of the usage error after a message. */
static int check_output(const struct report_request *request)
{
    enum wtl_picture picture;
    size_t n = request->output ? strlen(request->output) : 0;
    if (n > 0 && wtl_picture_of(request->output, &picture, NULL) == 0)
        return wtl_usage(&wtl_report_command, "--output writes the page; a figure is --plot %s",
                         request->output);
    if (n > 5 && strcasecmp(request->output + n - 5, ".json") == 0 && request->format == AS_HTML)
        return wtl_usage(&wtl_report_command, "--output %s requires --format json",
                         request->output);
    return 0;
}

/* Returns 0, or the exit status of the usage error after a message. */
static int check(struct report_request *request, const struct wtl_command_line *line)
{
    static const char *const of_figures[] = {"figure", "size",  "part", "sort",
                                             "dpi",    "title", NULL};
    struct wtl_report_figure *figure = &request->figure;
    const char *given = wtl_option_first_given(&wtl_report_command, line, of_figures);
    if (!figure->path && given)
        return wtl_usage(&wtl_report_command, "--%s requires --plot FILE", given);
    if (figure->path && (request->output || wtl_option_given(&wtl_report_command, line, "format")))
        return wtl_usage(&wtl_report_command,
                         "--plot makes a figure instead of the page and cannot be used with %s",
                         request->output ? "--output" : "--format");
    int status = check_serve(request, line);
    status = status ? status : check_output(request);
    if (status)
        return status;
    figure->options.redact = request->redact;
    return figure->path ? wtl_report_figure_check(figure, &wtl_report_command, request->of_runs)
                        : 0;
}

static int report_runs(const struct report_request *request, struct wattle_error *err)
{
    const struct wtl_report_run runs = {.words = request->names.paths,
                                        .labels = request->labels,
                                        .count = request->names.count,
                                        .output = request->output,
                                        .json = request->format == AS_JSON,
                                        .force = request->force,
                                        .redact = request->redact,
                                        .reference_w = request->reference_w,
                                        .figure = &request->figure};
    return wtl_report_run_make(&runs, &wtl_report_command, err);
}

/* The figure or the page. */
static int answer(struct report_request *request, struct wattle_error *err)
{
    char *beside = NULL;
    if (request->figure.path && !request->of_runs)
        return wtl_report_figure_make(&request->figure, request->trace, request->force, err);
    if (request->serve)
        return serve(request, err);
    if (!request->output && request->format == AS_HTML && !request->figure.path) {
        char *name = request->words > 1 ? strdup("runs.html") : name_beside(request->word);
        request->output = beside = name ? wtl_output_name(name, request->force) : NULL;
        free(name);
        if (!beside)
            return wtl_no_memory(err);
    }
    if (request->output && strcmp(request->output, "-") == 0)
        request->output = NULL;
    int rc = request->of_runs ? report_runs(request, err) : report(request, err);
    free(beside);
    return rc;
}

/* The runs of each argument. A run that is all of its argument is named after it: a folder name says more than that of its trace. */
static int read_words(struct report_request *request,
                      const struct wtl_command_line *line,
                      struct wattle_error *err)
{
    struct wtl_trace_list *names = &request->names;
    struct wtl_run_set seen = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < line->count; i++) {
        size_t before = names->count, room = before;
        rc = wtl_run_names_add(names, line->words[i], err);
        if (rc == 0 && wtl_run_set_add(&seen, names, before) < 0)
            rc = wtl_no_memory(err);
        if (rc == 0 &&
            wtl_reserve(&request->labels, &room, names->count, sizeof *request->labels) < 0)
            rc = wtl_no_memory(err);
        for (size_t n = before; rc == 0 && n < names->count; n++)
            request->labels[n] = names->count - before == 1             ? line->words[i]
                                 : wtl_run_name_is_run(names->paths[n]) ? NULL
                                                                        : names->paths[n];
    }
    wtl_run_set_fini(&seen);
    if (rc < 0)
        return rc;
    wtl_say_left_out(&wtl_report_command, names);
    request->word = line->words[0];
    request->words = line->count;
    request->trace = names->paths[0];
    request->of_runs = wtl_report_is_of_runs(names->paths, names->count);
    return 0;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_report_command;
    struct wtl_command_line line;
    struct report_request request = {.reference_w = NAN};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0)
        return wtl_usage(command, "no trace given");
    int rc = read_words(&request, &line, &err);
    status = rc == 0 ? check(&request, &line) : 0;
    rc = rc < 0 || status ? rc : answer(&request, &err);
    wtl_trace_list_fini(&request.names);
    free((void *)request.labels);
    if (status)
        return status;
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_report_command = {
    .verb = "report",
    .run = run,
    .operands = "TRACE | RUN...",
    .summary = "create an HTML page or a figure from traces",
    .text =
        "Writes one HTML file that works in any browser without network: power over\ntime, energy, "
        "regions, distributions, frequencies, temperatures, gaps, and the\norigin of each number. "
        "An incomplete trace (cut off or still being written)\nshows what it holds so far. With "
        "--plot, writes a single figure for a paper.\n\nFor traces of many nodes (a folder, a run "
        "file, several traces) the page shows\ntheir run: sum and spread of power over time, by "
        "part, region and node. Several\nruns are compared by their labels.\n",
    .options = options_table,
    .examples = "wattle report app.wtl\n"
                "wattle report -o /tmp/app.html --force app.wtl\n"
                "wattle report --serve app.wtl\n"
                "wattle report --format json app.wtl | jq '.distributions[] | {channel, p95_w}'\n"
                "wattle report --redact -o public.html app.wtl\n"
                "wattle report --plot power.pdf --size 174x60 app.wtl\n"
                "wattle report --plot energy.svg --figure energy app.wtl\n"
                "wattle report traces/\n"
                "wattle report --plot power.pdf --size 174x90 traces/\n"
                "wattle report --plot boxes.gp --figure boxes traces/\n"
                "wattle report --reference 2300W -o study.html cg-1024/ cg-2048/ lu-1024/\n",
    .usage_exit = WTL_EXIT_USAGE,
};
