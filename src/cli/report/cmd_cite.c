/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle cite": describe a measurement for a paper, from its traces. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/flush.h"
#include "cli/run_words.h"
#include "report/cite/cite.h"
#include "report/json_value.h"

enum format { AS_TEXT, AS_JSON, AS_BIBTEX };

static const char *const format_names[] = {"text", "json", "bibtex", NULL};

struct cite_request {
    enum format format;
};

static const struct wtl_option options_table[] = {
    {0, "format", "FORMAT", "text, json or bibtex (references only)\n(default text)",
     WTL_TAKES_CHOICE(struct cite_request, format, format_names)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int print(const struct wtl_cite *cite, enum format format, struct wattle_error *err)
{
    if (format == AS_TEXT)
        wtl_cite_text(cite, stdout);
    else if (format == AS_BIBTEX)
        wtl_cite_bibtex(cite, stdout);
    else if (wtl_json_print(stdout, wtl_cite_json(cite)) < 0)
        return wtl_no_memory(err);
    return wtl_flush(stdout, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_cite_command;
    struct wtl_command_line line;
    struct cite_request request = {.format = AS_TEXT};
    struct wtl_cite *cite = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0)
        return wtl_usage(command, "no trace given");
    struct wtl_trace_list names;
    int rc = wtl_run_words(command, line.words, line.count, true, &names, &err);
    rc = rc < 0 ? rc : wtl_cite_read(names.paths, names.count, &cite, &err);
    rc = rc < 0 ? rc : print(cite, request.format, &err);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    wtl_cite_free(cite);
    wtl_trace_list_fini(&names);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_cite_command = {
    .verb = "cite",
    .run = run,
    .operands = "TRACE|DIR...",
    .summary = "describe a measurement for a paper",
    .text = "Prints a paragraph for the methods section, written from the trace, and\nreferences "
            "in BibTeX. Several traces are treated as repeats of one measurement.\nFacts that were "
            "not recorded are listed.\n",
    .options = options_table,
    .examples = "wattle cite app.wtl\n"
                "wattle cite app-1.wtl app-2.wtl app-3.wtl\n"
                "wattle cite --format bibtex app.wtl >> paper.bib\n"
                "wattle cite --format json app.wtl | jq -r .paragraph\n",
    .usage_exit = WTL_EXIT_USAGE,
};
