/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle compare": two traces, or two groups of repeats, side by side, with a verdict. */
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_set.h"
#include "analysis/compare/conditions.h"
#include "analysis/compare/sides.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/output.h"
#include "cli/run_words.h"
#include "report/compare/noise_floor.h"
#include "report/compare/sides_figure.h"
#include "report/compare/sides_report.h"
#include "report/table.h"

/* Exit status with --exit-code. */
enum { EXIT_DIFFERS = 3, EXIT_OPEN = 4 };

struct compare_request {
    enum wtl_format format;
    struct wtl_sides_options options;
    const char *noise, *plot;
    bool exit_code, force, details, redact;
    struct wtl_trace_list lists[2]; /* of A and of B */
    int current;                    /* the side that words belong to; -1 = not named yet */
    char forbidden[256];            /* by the conditions */
    size_t words;                   /* before any --a or --b: the first is A, the second B */
};

/* ---- the command line ---- */

static int take_warm_up(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_sides_options *options = place;
    uint64_t n;
    options->warm_up_auto = strcmp(value, "auto") == 0;
    if (options->warm_up_auto)
        return 0;
    if (wtl_parse_u64(value, &n) < 0 || n > 1000000)
        return wtl_usage(command, "--warm-up %s: expected a number of runs, or \"auto\"", value);
    options->warm_up = (size_t)n;
    return 0;
}

/* A word that names traces: of the side named last, or of A, then B. */
static int take_word(const struct wtl_command *command, void *place, const char *word)
{
    struct compare_request *request = place;
    struct wattle_error err = {""};
    int side = request->current;
    if (side < 0 && request->words == 2)
        return wtl_usage(
            command,
            "unexpected argument \"%s\" after A and B; name groups with --a and --b, as folders, "
            "or with commas",
            word);
    if (side < 0)
        side = (int)request->words++;
    if (wtl_run_names_add(&request->lists[side], word, &err) == 0)
        return 0;
    wtl_complain(command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

static int take_side(const struct wtl_command *command,
                     struct compare_request *request,
                     int side,
                     const char *word)
{
    if (request->words > 0)
        return wtl_usage(command,
                         "--%c after traces without a side; give --a and --b before all traces",
                         side ? 'b' : 'a');
    request->current = side;
    return take_word(command, request, word);
}

static int take_a(const struct wtl_command *command, void *place, const char *value)
{
    return take_side(command, place, 0, value);
}

static int take_b(const struct wtl_command *command, void *place, const char *value)
{
    return take_side(command, place, 1, value);
}

static const struct wtl_option options_table[] = {
    {'a', "a", "TRACE", "a trace of side A, as are the traces after it", WTL_CALLS_WITH_ALL(take_a),
     .is_input = true},
    {'b', "b", "TRACE", "a trace of side B, as are the traces after it", WTL_CALLS_WITH_ALL(take_b),
     .is_input = true},
    WTL_OPTION_FORMAT(struct compare_request, format),
    {0, "paired", NULL, "run i of A and run i of B ran one right after the other",
     WTL_SETS(struct compare_request, options.paired)},
    {0, "regions", NULL, "also compare the regions that both sides have",
     WTL_SETS(struct compare_request, options.regions)},
    {0, "resolve", "PERCENT", "the difference that matters (default 1%)",
     WTL_TAKES_PERCENT(struct compare_request, options.resolve)},
    {0, "noise", "FILE",
     "noise floor for fewer than 5 runs per side: the JSON of\n"
     "an earlier comparison on this node",
     WTL_TAKES_INPUT(struct compare_request, noise)},
    {0, "warm-up", "N",
     "drop the first N runs of each side; \"auto\": those\n"
     "that differ from all later runs",
     WTL_CALLS(struct compare_request, options, take_warm_up)},
    {0, "seed", "N", "seed of the bootstrap (default 1)",
     WTL_TAKES_UNSIGNED(struct compare_request, options.seed, 0, UINT32_MAX)},
    {0, "plot", "FILE",
     "also draw the comparison: FILE.svg, .pdf or .png;\nits caption goes to standard error",
     WTL_TAKES_TEXT(struct compare_request, plot)},
    {0, "redact", NULL,
     "leave out of the figure what identifies people and\nmachines: names of hosts, arguments",
     WTL_SETS(struct compare_request, redact)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct compare_request, force)},
    {0, "details", NULL, "also print channels, other methods and each run",
     WTL_SETS(struct compare_request, details)},
    {0, "exit-code", NULL, "exit with 3 if time or energy differs, with 4 if\nthat is undecided",
     WTL_SETS(struct compare_request, exit_code)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int read_options(struct compare_request *request, int argc, char **argv)
{
    struct wtl_command_line line;
    int status = wtl_command_read(&wtl_compare_command, argc, argv, request, &line);
    if (status == WTL_GO_ON && (request->lists[0].count == 0 || request->lists[1].count == 0))
        status = wtl_usage(&wtl_compare_command, "two sides are needed: A and B");
    if (status == WTL_GO_ON && request->redact && !request->plot)
        status = wtl_usage(&wtl_compare_command, "--redact requires --plot FILE");
    return status;
}

/* ---- the comparison ---- */

static int read_noise(const struct compare_request *request,
                      const struct wtl_result *results,
                      struct wtl_sides_options *options,
                      struct wattle_error *err)
{
    char *host = NULL;
    for (size_t i = 0; i < 4; i++)
        options->noise[i] = (struct wtl_noise){NAN, NAN};
    if (!request->noise)
        return 0;
    int rc = wtl_noise_read(request->noise, options->noise, &host, err);
    if (rc == 0 && (!host || !results[0].host || strcmp(host, results[0].host) != 0))
        rc = wtl_fail(
            err, -EXDEV,
            "%s: this noise floor was measured on node %s, the runs of A on %s; measure one "
            "there",
            request->noise, host ? host : "unknown", results[0].host ? results[0].host : "unknown");
    free(host);
    return rc;
}

/* 0, or with --exit-code what time and energy say. */
static int exit_status(const struct compare_request *request, const struct wtl_sides *sides)
{
    int status = WTL_EXIT_OK;
    for (size_t i = 0; i < 2 && request->exit_code; i++) {
        enum wtl_verdict_kind kind = sides->rows[i].verdict.kind;
        if (kind == WTL_VERDICT_LESS || kind == WTL_VERDICT_MORE)
            return EXIT_DIFFERS;
        if (kind != WTL_VERDICT_SAME)
            status = EXIT_OPEN;
    }
    return status;
}

/* Draw the figure before anything is printed, so that errors come first. */
static int plot(const struct compare_request *request,
                const struct wtl_sides *sides,
                struct wattle_error *err)
{
    struct wtl_output output = {0};
    enum wtl_picture picture;
    char caption[1536] = "";
    if (!request->plot)
        return 0;
    int rc = wtl_picture_of(request->plot, &picture, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, request->plot, request->force, err);
    if (rc < 0)
        return rc;
    struct wtl_redactor *redactor = request->redact ? wtl_redactor_new() : NULL;
    if (request->redact && !redactor)
        rc = wtl_no_memory(err);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < request->lists[side].count; i++)
            wtl_redactor_add_secrets_at(redactor, request->lists[side].paths[i]);
    if (rc == 0)
        rc = wtl_sides_figure_draw(sides, picture, redactor, output.stream, caption, sizeof caption,
                                   err);
    wtl_redactor_free(redactor);
    rc = rc < 0 ? rc : wtl_output_commit(&output, err);
    if (rc < 0)
        return wtl_output_fail(&output, rc, err);
    wtl_print_clean(stderr, request->plot, strlen(request->plot));
    (void)fputs(": ", stderr);
    wtl_print_clean(stderr, caption, strlen(caption));
    (void)fputc('\n', stderr);
    return 0;
}

static int compare(struct compare_request *request,
                   struct wtl_result *const results[2],
                   int *ret_status,
                   struct wattle_error *err)
{
    const struct wtl_trace_list *lists = request->lists;
    struct wtl_conditions conditions = {0};
    struct wtl_sides sides;
    int rc = wtl_conditions_read(lists[0].paths, lists[0].count, lists[1].paths, lists[1].count,
                                 &conditions, err);
    if (rc < 0)
        return rc;
    if (wtl_conditions_forbid(&conditions, request->forbidden, sizeof request->forbidden))
        request->options.forbidden = request->forbidden;
    rc = read_noise(request, results[0], &request->options, err);
    rc = rc < 0 ? rc
                : wtl_sides_compare(results[0], lists[0].count, results[1], lists[1].count,
                                    &request->options, &sides, err);
    if (rc == 0) {
        struct wtl_style style = wtl_style_of(stdout);
        style.verbose = request->details;
        struct wtl_sides_report report = {
            .sides = &sides, .conditions = &conditions, .resolve = request->options.resolve};
        rc = plot(request, &sides, err);
        rc = rc < 0 ? rc : wtl_report_sides(stdout, request->format, &report, &style, err);
        *ret_status = exit_status(request, &sides);
        wtl_sides_fini(&sides);
    }
    wtl_conditions_fini(&conditions);
    return rc;
}

/* A run counts once, on whichever side it is first. */
static int leave_copies(struct compare_request *request, struct wattle_error *err)
{
    struct wtl_run_set seen = {0};
    int rc = 0;
    for (int side = 0; side < 2 && rc == 0; side++)
        rc = wtl_run_set_add(&seen, &request->lists[side], 0);
    wtl_run_set_fini(&seen);
    if (rc < 0)
        return wtl_no_memory(err);
    const struct wtl_trace_list *b = &request->lists[1];
    for (int side = 0; side < 2; side++)
        wtl_say_left_out(&wtl_compare_command, &request->lists[side]);
    if (request->options.paired && request->lists[0].copies + b->copies > 0 && b->count > 0)
        return wtl_fail(
            err, -EINVAL,
            "with --paired a run that is left out would shift the pairs; name each run once");
    return b->count > 0
               ? 0
               : wtl_fail(
                     err, -EINVAL,
                     "every run of B is also a run of A; compare two different groups of runs");
}

static int run(int argc, char **argv)
{
    struct compare_request request = {
        .current = -1,
        .options = {.resolve = 0.01, .seed = 1, .resamples = WTL_COMPARISON_RESAMPLES}};
    struct wtl_result *results[2] = {NULL, NULL};
    struct wattle_error err = {""};
    int status = read_options(&request, argc, argv), rc = 0;
    bool go = status == WTL_GO_ON;
    rc = go ? leave_copies(&request, &err) : 0;
    for (int side = 0; side < 2 && go && rc == 0; side++)
        rc = wtl_run_results_read(request.lists[side].paths, request.lists[side].count,
                                  &results[side], &err);
    if (go && rc == 0)
        rc = compare(&request, results, &status, &err);
    if (rc < 0) {
        wtl_complain(&wtl_compare_command, "%s", err.text);
        status = WTL_EXIT_FAILED;
    }
    for (int side = 0; side < 2; side++) {
        wtl_run_results_free(results[side], request.lists[side].count);
        wtl_trace_list_fini(&request.lists[side]);
    }
    return status;
}

const struct wtl_command wtl_compare_command = {
    .verb = "compare",
    .run = run,
    .operands = "A B | --a TRACE... --b TRACE...",
    .summary = "compare two runs, or two groups of repeats",
    .text =
        "A and B are traces, folders of traces, or several of these separated by commas. A "
        "verdict\n"
        "needs five runs per side (or a noise floor) on the same node with the same governor and\n"
        "limits; otherwise only the differences are printed.\n",
    .options = options_table,
    .examples = "wattle compare before.wtl after.wtl\n"
                "wattle compare --a base-*.wtl --b new-*.wtl\n"
                "wattle compare --plot difference.pdf runs-a/ runs-b/\n"
                "wattle compare --paired --format json runs-a/ runs-b/ | jq .rows[1].verdict\n",
    .usage_exit = WTL_EXIT_USAGE,
    .take_operand = take_word,
};
