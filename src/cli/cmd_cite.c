/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle cite": what a paper has to say of a measurement, from its traces. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/flush.h"
#include "report/cite.h"
#include "report/json_value.h"

enum { FORMAT = 1 };
enum { AS_TEXT, AS_JSON, AS_BIBTEX };

static const char *const format_names[] = {"text", "json", "bibtex", NULL};

static const struct wtl_option options_table[] = {
    {FORMAT, 0, "format", "FORMAT", "text, json or bibtex, the references alone\n(default text)"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

static int print(const struct wtl_cite *cite, size_t format, struct wattle_error *err)
{
    if (format == AS_TEXT)
        wtl_cite_text(cite, stdout);
    else if (format == AS_BIBTEX)
        wtl_cite_bibtex(cite, stdout);
    else if (wtl_json_print(stdout, wtl_cite_json(cite)) < 0)
        return wtl_fail(err, -ENOMEM, "not enough memory");
    return wtl_flush(stdout, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_cite_command;
    struct wtl_options scan;
    struct wtl_cite *cite = NULL;
    struct wattle_error err = {""};
    const char *value;
    size_t format = AS_TEXT;
    wtl_options_init(&scan, command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        int status = id < 0 ? scan.exit_code
                            : wtl_option_choice(command, "--format", value, format_names, &format);
        if (id < 0 || status)
            return status;
    }
    if (scan.operand == argc)
        return wtl_usage(command, "no trace is named");
    int rc = wtl_cite_read(argv + scan.operand, (size_t)(argc - scan.operand), &cite, &err);
    rc = rc < 0 ? rc : print(cite, format, &err);
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    wtl_cite_free(cite);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_cite_command = {
    .verb = "cite",
    .run = run,
    .operands = "TRACE...",
    .summary = "print what a paper has to say of a measurement",
    .text =
        "A paragraph for the methods section, made of what the trace holds, and references in\n"
        "BibTeX. Several traces are taken for repeats of one measurement. What was not recorded\n"
        "is listed as such.\n",
    .options = options_table,
    .examples = "wattle cite app.wtl\n"
                "wattle cite app-1.wtl app-2.wtl app-3.wtl\n"
                "wattle cite --format bibtex app.wtl >> paper.bib\n"
                "wattle cite --format json app.wtl | jq -r .paragraph\n",
    .usage_exit = WTL_EXIT_USAGE,
};
