/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle export": the contents of a trace for other programs. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/export/cmd_export.h"
#include "cli/output.h"
#include "cli/run_words.h"
#include "exchange/export.h"
#include "model/bound.h"
#include "model/gap.h"
#include "model/quality.h"
#include "trace/reader.h"

static const char *const form_names[] = {"csv",     "json", "moneq",    "slurm-hdf5",
                                         "paraver", "otf2", "perfetto", NULL};
enum form { TO_CSV, TO_JSON, TO_MONEQ, TO_SLURM_HDF5, TO_PARAVER, TO_OTF2, TO_PERFETTO };

struct export_request {
    struct wtl_export export;
    const char *output;
    const char *node, *acctg_freq;
    enum form to;
    bool force;
    uint64_t interval_ns; /* 0 = not given */
};

/* A duration with an optional "-". */
static int take_time(const struct wtl_command *command,
                     const char *option,
                     const char *text,
                     bool *ret_given,
                     int64_t *ret_ns)
{
    uint64_t ns;
    bool negative = text[0] == '-';
    int status = wtl_option_duration(command, option, text + negative, false, &ns);
    *ret_given = true;
    if (status == 0)
        *ret_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return status;
}

static int take_from(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_export *export = place;
    return take_time(command, "--from", value, &export->has_from, &export->from_ns);
}

static int take_until(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_export *export = place;
    return take_time(command, "--until", value, &export->has_until, &export->until_ns);
}

static const struct wtl_option options_table[] = {
    {'t', "to", "FORM",
     "csv, json, moneq (files for MonEQ's reducer, with\n-o FOLDER), slurm-hdf5 (a job's profile "
     "in Slurm's\n"
     "layout, with -o FILE or FOLDER), paraver (-o FILE.prv),\notf2 (-o FOLDER) or perfetto "
     "(default csv)",
     WTL_TAKES_CHOICE(struct export_request, to, form_names)},
    {'o', "output", "FILE",
     "write to FILE instead of standard output; FILE\nappears only when it is complete",
     WTL_TAKES_TEXT(struct export_request, output)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct export_request, force)},
    {'w', "what", "WHAT", "samples, regions, events, gaps, metadata or tasks\n(default samples)",
     WTL_TAKES_CHOICE(struct export_request, export.what, wtl_export_names)},
    {'c', "channel", "LIST",
     "only these channels: names or patterns such as\n\"powercap:*\", separated by commas",
     WTL_TAKES_TEXT(struct export_request, export.channels)},
    {0, "from", "TIME",
     "start at this time; 0 is the start of the window,\n\"-1s\" is one second before it",
     WTL_CALLS(struct export_request, export, take_from)},
    {0, "until", "TIME", "end at this time", WTL_CALLS(struct export_request, export, take_until)},
    {0, "long", NULL, "one row per value instead of one column per\nchannel",
     WTL_SETS(struct export_request, export.long_form)},
    {0, "interval", "TIME", "moneq: minimum time between lines (default 10ms)",
     WTL_TAKES_INTERVAL(struct export_request, interval_ns, 0)},
    {0, "acctg-freq", "LIST",
     "slurm-hdf5: time between rows, as for srun:\nenergy=1,task=10; 0 = no such table (default 1 "
     "s)",
     WTL_TAKES_TEXT(struct export_request, acctg_freq)},
    {0, "node", "NAME", "export only this node of a run",
     WTL_TAKES_TEXT(struct export_request, node)},
    {0, "comments", NULL,
     "start CSV with # lines: command, date, units, and\nwhich channels are simulated or estimated",
     WTL_SETS(struct export_request, export.comments)},
    {0, "no-comments", NULL, "no # lines in CSV (default)",
     WTL_CLEARS(struct export_request, export.comments)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* The trace of one node of a run file, or a trace. */
static int open_trace(const char *path,
                      const char *node,
                      struct wtl_trace_reader **ret_reader,
                      struct wattle_error *err)
{
    struct wtl_run *run = NULL;
    char *const words[] = {(char *)(uintptr_t)path};
    if (!wtl_run_name_is_run(path))
        return node ? wtl_fail(err, -EINVAL,
                               "%s: not a run file, so it has no node %.60s; leave out --node",
                               path, node)
                    : wtl_trace_reader_open(path, ret_reader, err);
    int rc = wtl_run_open(words, 1, NULL, &run, err);
    if (rc < 0)
        return rc;
    int found = node ? wtl_run_find(run, node) : wtl_run_node_count(run) == 1 ? 0 : -EINVAL;
    if (found >= 0)
        rc = wtl_run_node_open(run, (size_t)found, ret_reader, err);
    else if (node)
        rc = wtl_fail(err, found, "%s: no node \"%.60s\"; \"wattle stats\" lists the nodes", path,
                      node);
    else
        rc = wtl_fail(err, found,
                      "%s: a run with %zu nodes; choose one with --node, for example %.60s", path,
                      wtl_run_node_count(run), wtl_run_node(run, 0)->name);
    wtl_run_close(run);
    return rc;
}

/* Energy that is missing, or not known better than its interval, which cells alone do not show either. */
static bool has_doubts(struct wtl_trace_reader *reader)
{
    const struct wtl_gap *gaps;
    int count = wtl_trace_reader_gaps(reader, &gaps, NULL);
    bool doubts = false;
    for (int i = 0; i < count && !doubts; i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, gaps[i].channel);
        doubts = channel && wtl_gap_loses_energy(gaps[i].reason, channel->channel.kind);
    }
    for (size_t i = 0; i < wtl_trace_reader_channel_count(reader) && !doubts; i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, i);
        doubts = channel && wtl_seen_part(&channel->channel) < 1;
    }
    return doubts;
}

/* Without comments, a CSV file does not show that samples are simulated or estimated. */
static void say_origin(struct wtl_trace_reader *reader, const struct export_request *request)
{
    const struct wtl_export *export = &request->export;
    unsigned simulated = 0, estimated = 0;
    for (size_t i = 0; i < wtl_trace_reader_channel_count(reader); i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, i);
        simulated += channel && wtl_channel_is_simulated(&channel->channel);
        estimated += channel && channel->channel.quality == WATTLE_ESTIMATED;
    }
    if (export->form == WTL_ROW_WRITER_CSV && !export->comments &&
        export->what == WTL_EXPORT_SAMPLES && simulated + estimated > 0)
        wtl_complain(&wtl_export_command,
                     "some channels are %s; use --comments to record this in the file",
                     simulated && estimated ? "simulated and estimated"
                     : simulated            ? "simulated"
                                            : "estimated");
    if (export->form == WTL_ROW_WRITER_CSV && !export->comments &&
        export->what == WTL_EXPORT_SAMPLES && has_doubts(reader))
        wtl_complain(
            &wtl_export_command,
            "there are gaps, or gauges that see a part of the time, which cells cannot say; "
            "use --comments to record this in the file");
}

static int convert(const char *word, const struct export_request *request, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_output output = {0};
    char *path = NULL;
    int rc = wtl_run_word_single(&wtl_export_command, word, &path, err);
    rc = rc < 0 ? rc : open_trace(path, request->node, &reader, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, request->output, request->force, err);
    if (rc == 0) {
        rc = wtl_export_write(reader, &request->export, output.stream, err);
        if (rc == 0)
            rc = wtl_output_commit(&output, err);
        else
            (void)wtl_output_fail(&output, rc, err);
    }
    if (reader)
        wtl_input_tell(&wtl_export_command, path, reader);
    if (rc == 0)
        say_origin(reader, request);
    wtl_trace_reader_close(reader);
    free(path);
    return rc;
}

/* What both forms of whole runs need: an option of the other forms, or a missing operand, is a usage error. 0 or the
 * exit status. */
static int check_whole(const struct export_request *request,
                       const struct wtl_command_line *line,
                       const char *what)
{
    static const char *const others[] = {"what", "channel",  "from",        "until", "long",
                                         "node", "comments", "no-comments", NULL};
    const struct wtl_command *command = &wtl_export_command;
    const char *other = wtl_option_first_given(command, line, others);
    if (other)
        return wtl_usage(command, "--%s cannot be used with --to %s", other,
                         form_names[request->to]);
    if (!request->output || strcmp(request->output, "-") == 0)
        return wtl_usage(command, "--to %s %s with -o", form_names[request->to], what);
    return line->count == 0 ? wtl_usage(command, "no trace given") : 0;
}

static int run_moneq(const struct export_request *request, const struct wtl_command_line *line)
{
    const struct wtl_command *command = &wtl_export_command;
    struct wattle_error err = {""};
    int status = check_whole(request, line, "writes several files; choose a folder");
    if (status)
        return status;
    if (wtl_export_moneq(command, line->words, line->count, request->output, request->force,
                         request->interval_ns, &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

static int run_hdf5(const struct export_request *request, const struct wtl_command_line *line)
{
    const struct wtl_command *command = &wtl_export_command;
    struct wtl_export_steps steps = WTL_EXPORT_STEPS;
    struct wattle_error err = {""};
    int status = check_whole(request, line, "cannot be written to a stream; name a file");
    if (status)
        return status;
    if (request->acctg_freq && wtl_export_steps_parse(request->acctg_freq, &steps, &err) < 0)
        return wtl_usage(command, "--acctg-freq: %s", err.text);
    if (wtl_export_hdf5(command, line->words, line->count, request->output, request->force, &steps,
                        &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

static int run_tracks(const struct export_request *request, const struct wtl_command_line *line)
{
    static const char *const others[] = {"what", "long", "comments", "no-comments", NULL};
    const struct wtl_command *command = &wtl_export_command;
    const struct wtl_export *export = &request->export;
    const struct wtl_export_tracks options = {
        .form = request->to == TO_PARAVER ? WTL_TRACKS_PARAVER
                : request->to == TO_OTF2  ? WTL_TRACKS_OTF2
                                          : WTL_TRACKS_PERFETTO,
        .output = request->output,
        .force = request->force,
        .node = request->node,
        .choice = {export->channels, export->has_from, export->has_until, export->from_ns,
                   export->until_ns}};
    struct wattle_error err = {""};
    const char *other = wtl_option_first_given(command, line, others);
    if (other)
        return wtl_usage(command, "--%s cannot be used with --to %s", other,
                         form_names[request->to]);
    if (request->to != TO_PERFETTO && (!request->output || strcmp(request->output, "-") == 0))
        return wtl_usage(command, "--to %s writes several files; name %s with -o",
                         form_names[request->to],
                         request->to == TO_OTF2 ? "a folder" : "the .prv file");
    if (line->count == 0)
        return wtl_usage(command, "no trace given");
    if (wtl_export_tracks(command, line->words, line->count, &options, &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

/* Samples and other tables of one trace. */
static int run_table(struct export_request *request, const struct wtl_command_line *line)
{
    const struct wtl_command *command = &wtl_export_command;
    struct wattle_error err = {""};
    request->export.form = request->to == TO_JSON ? WTL_ROW_WRITER_JSON : WTL_ROW_WRITER_CSV;
    if (line->count != 1)
        return wtl_usage(command, line->count == 0
                                      ? "no trace given"
                                      : "more than one trace given; export them one at a time");
    if (convert(line->words[0], request, &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_export_command;
    struct wtl_command_line line;
    struct export_request request = {.to = TO_CSV};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (request.interval_ns && request.to != TO_MONEQ)
        return wtl_usage(command, "--interval requires --to moneq");
    if (request.acctg_freq && request.to != TO_SLURM_HDF5)
        return wtl_usage(command, "--acctg-freq requires --to slurm-hdf5");
    if (request.to == TO_MONEQ)
        return run_moneq(&request, &line);
    if (request.to == TO_SLURM_HDF5)
        return run_hdf5(&request, &line);
    if (request.export.has_from && request.export.has_until &&
        request.export.until_ns <= request.export.from_ns)
        return wtl_usage(command, "--until must be later than --from");
    return request.to >= TO_PARAVER ? run_tracks(&request, &line) : run_table(&request, &line);
}

const struct wtl_command wtl_export_command = {
    .verb = "export",
    .run = run,
    .operands = "TRACE|DIR...",
    .summary = "write a trace's samples, regions or events for other programs",
    .options = options_table,
    .examples = "wattle export app.wtl > app.csv\n"
                "wattle export --comments -o app.csv app.wtl\n"
                "wattle export --to json -o app.json app.wtl\n"
                "wattle export --channel 'powercap:package-*' --from 0 --until 10s app.wtl\n"
                "wattle export --what regions app.wtl\n"
                "wattle export --to moneq -o moneq/ run.wtl\n"
                "wattle export --to slurm-hdf5 -o job_12.h5 traces/\n"
                "wattle export --to paraver -o app.prv app.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
};
