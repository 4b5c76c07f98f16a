/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle export": what a trace holds, for other programs. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/run.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/export_moneq.h"
#include "cli/leftover.h"
#include "cli/output.h"
#include "exchange/export.h"
#include "trace/reader.h"

enum { TO = 1, OUTPUT, FORCE, WHAT, CHANNEL, FROM, UNTIL, LONG, NO_COMMENTS, INTERVAL, NODE };

static const struct wtl_option options_table[] = {
    {TO, 't', "to", "FORM",
     "csv, json or moneq: the files of MonEQ's reducer,\n-o then names a folder (default csv)"},
    {OUTPUT, 'o', "output", "FILE",
     "write to FILE instead of standard output; it\nappears only "
     "when it is whole"},
    {FORCE, 0, "force", NULL, "replace a file that is there"},
    {WHAT, 'w', "what", "WHAT", "samples, regions, events, gaps or metadata\n(default samples)"},
    {CHANNEL, 'c', "channel", "LIST",
     "only these channels; names or patterns such\nas "
     "\"powercap:*\", separated by commas"},
    {FROM, 0, "from", "TIME",
     "only from this time on; 0 is the start of the\nwindow, \"-1s\" one "
     "second before"},
    {UNTIL, 0, "until", "TIME", "only up to this time"},
    {LONG, 0, "long", NULL, "a row for each value, not a column for each\nchannel"},
    {INTERVAL, 0, "interval", "TIME", "moneq: at least so long from line to line\n(default 10ms)"},
    {NODE, 0, "node", "NAME", "of a run file: the trace of this node"},
    {NO_COMMENTS, 0, "no-comments", NULL, "leave out the lines with # at the top of csv"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static const char *const form_names[] = {"csv", "json", "moneq", NULL};
enum { TO_MONEQ = 2 };

struct request {
    struct wtl_export export;
    const char *output;
    const char *node;
    bool force, moneq;
    const char *no_moneq; /* an option was given that --to moneq does not have */
    uint64_t interval_ns; /* 0 = not given */
};

/* A duration with an optional "-". */
static int parse_time(const char *option, const char *text, int64_t *ret_ns)
{
    uint64_t ns;
    bool negative = text[0] == '-';
    int status = wtl_option_duration(&wtl_export_command, option, text + negative, false, &ns);
    if (status == 0)
        *ret_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return status;
}

/* Remember an option that --to moneq does not have. */
static void note_option(struct request *request, int id)
{
    const struct wtl_option *row = options_table;
    while (row->name && row->id != id)
        row++;
    if (id != TO && id != OUTPUT && id != FORCE && id != INTERVAL)
        request->no_moneq = row->name;
}

/* 0, or the exit status of the usage error that was told. */
static int take_option(struct request *request, int id, const char *value)
{
    struct wtl_export *export = &request->export;
    size_t choice = 0;
    int status = 0;
    note_option(request, id);
    switch (id) {
    case TO:
        status = wtl_option_choice(&wtl_export_command, "--to", value, form_names, &choice);
        request->moneq = choice == TO_MONEQ;
        export->form = request->moneq ? WTL_SHEET_CSV : (enum wtl_sheet_form)choice;
        return status;
    case INTERVAL:
        return wtl_option_duration(&wtl_export_command, "--interval", value, false,
                                   &request->interval_ns);
    case WHAT:
        status = wtl_option_choice(&wtl_export_command, "--what", value, wtl_export_names, &choice);
        export->what = (enum wtl_export_what)choice;
        return status;
    case OUTPUT:
        request->output = value;
        return 0;
    case NODE:
        request->node = value;
        return 0;
    case CHANNEL:
        export->channels = value;
        return 0;
    case FROM:
        export->has_from = true;
        return parse_time("--from", value, &export->from_ns);
    case UNTIL:
        export->has_until = true;
        return parse_time("--until", value, &export->until_ns);
    case FORCE:
        request->force = true;
        return 0;
    case LONG:
        export->long_form = true;
        return 0;
    default:
        export->comments = false;
        return 0;
    }
}

/* The trace of one node of a run file, or a trace. */
static int open_trace(const char *path,
                      const char *node,
                      struct wtl_trace_reader **ret_reader,
                      struct wattle_error *err)
{
    struct wtl_run *run = NULL;
    char *const words[] = {(char *)(uintptr_t)path};
    if (wtl_run_file_is(path) <= 0)
        return node ? wtl_fail(err, -EINVAL, "%s: is no run file, so it has no node %.60s", path,
                               node)
                    : wtl_trace_reader_open(path, ret_reader, err);
    int rc = wtl_run_open(words, 1, NULL, &run, err);
    if (rc < 0)
        return rc;
    int found = node ? wtl_run_find(run, node) : wtl_run_node_count(run) == 1 ? 0 : -EINVAL;
    if (found >= 0)
        rc = wtl_run_node_open(run, (size_t)found, ret_reader, err);
    else if (node)
        rc =
            wtl_fail(err, found, "%s: there is no node \"%.60s\"; \"wattle stats\" lists its nodes",
                     path, node);
    else
        rc = wtl_fail(err, found,
                      "%s: a run of %zu nodes; name one of its nodes with --node, %.60s for one",
                      path, wtl_run_node_count(run), wtl_run_node(run, 0)->name);
    wtl_run_close(run);
    return rc;
}

static int convert(const char *path, const struct request *request, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_output output = {0};
    int rc = open_trace(path, request->node, &reader, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, request->output, request->force, err);
    if (rc == 0) {
        rc = wtl_export_write(reader, &request->export, output.stream, err);
        if (rc == 0)
            rc = wtl_output_commit(&output, err);
        else
            wtl_output_drop(&output);
    }
    wtl_trace_reader_close(reader);
    return rc;
}

static int run_moneq(const struct request *request, char **words, size_t n)
{
    const struct wtl_command *command = &wtl_export_command;
    struct wattle_error err = {""};
    if (request->no_moneq)
        return wtl_usage(command, "--%s does not go with --to moneq", request->no_moneq);
    if (!request->output)
        return wtl_usage(command, "--to moneq writes several files: name a folder with -o");
    if (n == 0)
        return wtl_usage(command, "no trace is named");
    if (wtl_export_moneq(command, words, n, request->output, request->force, request->interval_ns,
                         &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_export_command;
    struct wtl_options scan;
    struct request request = {.export = {.comments = true}};
    struct wattle_error err = {""};
    const char *value;
    wtl_options_init(&scan, command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        int status = id < 0 ? scan.exit_code : take_option(&request, id, value);
        if (id < 0 || status)
            return status;
    }
    wtl_leftovers_guard();
    if (request.moneq)
        return run_moneq(&request, argv + scan.operand, (size_t)(argc - scan.operand));
    if (request.interval_ns)
        return wtl_usage(command, "--interval goes with --to moneq only");
    if (argc - scan.operand != 1)
        return wtl_usage(command, scan.operand == argc ? "no trace is named"
                                                       : "one trace at a time, please");
    const struct wtl_export *export = &request.export;
    if (export->has_from && export->has_until && export->until_ns <= export->from_ns)
        return wtl_usage(command, "--until must be later than --from");
    if (convert(argv[scan.operand], &request, &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_export_command = {
    .verb = "export",
    .run = run,
    .operands = "TRACE...",
    .summary = "write a trace's samples, regions or events as CSV or JSON",
    .options = options_table,
    .examples = "wattle export app.wtl > app.csv\n"
                "wattle export --to json -o app.json app.wtl\n"
                "wattle export --channel 'powercap:package-*' --from 0 --until 10s app.wtl\n"
                "wattle export --what regions app.wtl\n"
                "wattle export --to moneq -o moneq/ run.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
};
