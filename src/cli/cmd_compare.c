/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle compare": two traces, or two groups of repeats, side by side, with a verdict. */
#include "cli/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/conditions.h"
#include "analysis/run_result.h"
#include "analysis/sides.h"
#include "analysis/trace_list.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/output.h"
#include "report/noise_floor.h"
#include "report/sides_figure.h"
#include "report/sides_report.h"
#include "report/table.h"

enum {
    SIDE_A = 1,
    SIDE_B,
    FORMAT,
    PAIRED,
    REGIONS,
    RESOLVE,
    NOISE,
    WARM_UP,
    SEED,
    PLOT,
    FORCE,
    EXIT_CODE
};

/* Exit status with --exit-code. */
enum { EXIT_DIFFERS = 3, EXIT_OPEN = 4 };

static const struct wtl_option options_table[] = {
    {SIDE_A, 'a', "a", "TRACE", "a trace of side A; what follows is of it, too"},
    {SIDE_B, 'b', "b", "TRACE", "a trace of side B; what follows is of it, too"},
    {FORMAT, 0, "format", "FORMAT", "text, json or csv (default text)"},
    {PAIRED, 0, "paired", NULL, "run i of A and run i of B ran beside each other"},
    {REGIONS, 0, "regions", NULL, "the regions that both have, too"},
    {RESOLVE, 0, "resolve", "PERCENT", "the difference that matters (default 1%)"},
    {NOISE, 0, "noise", "FILE",
     "a noise floor for fewer than 5 runs a side: the\n"
     "JSON of an earlier comparison on this node"},
    {WARM_UP, 0, "warm-up", "N",
     "drop the first N runs of each side; \"auto\": those\n"
     "outside of what the runs behind them predict"},
    {SEED, 0, "seed", "N", "of the bootstrap (default 1)"},
    {PLOT, 0, "plot", "FILE",
     "draw the comparison, too: FILE.svg, .pdf or .png;\nits caption goes to standard error"},
    {FORCE, 0, "force", NULL, "replace a file that is there"},
    {EXIT_CODE, 0, "exit-code", NULL,
     "exit with 3 when time or energy differs, with 4\nwhen that cannot be told"},
    WTL_OPTION_HELP_ROW,
    {0, 0, NULL, NULL, NULL},
};

struct request {
    enum wtl_format format;
    struct wtl_sides_options options;
    const char *noise, *plot;
    bool exit_code, force;
    struct wtl_trace_list lists[2]; /* of A and of B */
    int current;                    /* the side that words belong to; -1 = not named yet */
    char forbidden[256];            /* by the conditions */
    size_t words;                   /* before any --a or --b: the first is A, the second B */
};

/* ---- the command line ---- */

static int parse_warm_up(struct request *request, const char *value)
{
    uint64_t n;
    request->options.warm_up_auto = strcmp(value, "auto") == 0;
    if (request->options.warm_up_auto)
        return 0;
    if (wtl_parse_u64(value, &n) < 0 || n > 1000000)
        return wtl_usage(&wtl_compare_command,
                         "--warm-up %s: expected a number of runs, or \"auto\"", value);
    request->options.warm_up = (size_t)n;
    return 0;
}

/* A word that names traces: of the side named last, or the first and second side. */
static int take_word(struct request *request, const char *word)
{
    struct wattle_error err = {""};
    int side = request->current;
    if (side < 0 && request->words == 2)
        return wtl_usage(
            &wtl_compare_command,
            "\"%s\" is a third word: two are compared; name groups with --a and --b, as "
            "folders, or with commas",
            word);
    if (side < 0)
        side = (int)request->words++;
    if (wtl_trace_list_add(&request->lists[side], word, &err) == 0)
        return 0;
    wtl_complain(&wtl_compare_command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

static int take_side(struct request *request, int side, const char *word)
{
    if (request->words > 0)
        return wtl_usage(&wtl_compare_command,
                         "--%c comes behind words that name no side: give --a and --b first",
                         side ? 'b' : 'a');
    request->current = side;
    return take_word(request, word);
}

/* 0, or the exit status of the error that was told. */
static int take(struct request *request, int id, const char *value)
{
    const struct wtl_command *command = &wtl_compare_command;
    struct wtl_sides_options *options = &request->options;
    uint64_t seed = 0;
    int status = 0;
    switch (id) {
    case SIDE_A:
    case SIDE_B:
        return take_side(request, id == SIDE_B, value);
    case WTL_OPTIONS_OPERAND:
        return take_word(request, value);
    case FORMAT:
        return wtl_option_format(command, value, &request->format);
    case RESOLVE:
        return wtl_option_percent(command, "--resolve", value, 0, &options->resolve);
    case WARM_UP:
        return parse_warm_up(request, value);
    case SEED:
        status = wtl_option_u64(command, "--seed", value, 0, UINT32_MAX, &seed);
        options->seed = (unsigned)seed;
        return status;
    case NOISE:
        request->noise = value;
        return 0;
    case PLOT:
        request->plot = value;
        return 0;
    default:
        options->paired |= id == PAIRED;
        options->regions |= id == REGIONS;
        request->exit_code |= id == EXIT_CODE;
        request->force |= id == FORCE;
        return 0;
    }
}

static int take_all(struct request *request, int argc, char **argv, bool *ret_go)
{
    struct wtl_options scan;
    const char *value;
    int status = 0;
    wtl_options_init(&scan, &wtl_compare_command, argc, argv);
    for (int id; (id = wtl_options_next(&scan, &value)) != WTL_OPTIONS_END;) {
        if (id < 0)
            return scan.exit_code;
        if ((status = take(request, id, value)) != 0)
            return status;
    }
    for (int i = scan.operand; i < argc && status == 0; i++)
        status = take_word(request, argv[i]);
    if (status == 0 && (request->lists[0].count == 0 || request->lists[1].count == 0))
        status = wtl_usage(&wtl_compare_command, "two sides are compared: name A and B");
    *ret_go = status == 0;
    return status;
}

/* ---- the comparison ---- */

static int read_noise(const struct request *request,
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
            "%s: its noise floor is of another node (%s) than the runs of A (%s): measure "
            "one there",
            request->noise, host ? host : "unknown", results[0].host ? results[0].host : "unknown");
    free(host);
    return rc;
}

/* 0, or with --exit-code what time and energy say. */
static int exit_status(const struct request *request, const struct wtl_sides *sides)
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

/* The picture, before anything is printed: what cannot be drawn is known in time. */
static int plot(const struct request *request,
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
    rc = wtl_sides_figure_draw(sides, picture, output.stream, caption, sizeof caption, err);
    rc = rc < 0 ? rc : wtl_output_commit(&output, err);
    if (rc < 0) {
        wtl_output_drop(&output);
        return rc;
    }
    wtl_print_clean(stderr, request->plot, strlen(request->plot));
    (void)fputs(": ", stderr);
    wtl_print_clean(stderr, caption, strlen(caption));
    (void)fputc('\n', stderr);
    return 0;
}

static int compare(struct request *request,
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

static int run(int argc, char **argv)
{
    struct request request = {
        .current = -1,
        .options = {.resolve = 0.01, .seed = 1, .resamples = WTL_COMPARISON_RESAMPLES}};
    struct wtl_result *results[2] = {NULL, NULL};
    struct wattle_error err = {""};
    bool go = false;
    int status = take_all(&request, argc, argv, &go), rc = 0;
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
    .text = "A and B are traces, folders of traces, or several with commas. Five runs a side or a\n"
            "noise floor, of the same node, governor and limits, have a verdict; others have\n"
            "their differences shown.\n",
    .options = options_table,
    .examples = "wattle compare before.wtl after.wtl\n"
                "wattle compare --a base-*.wtl --b new-*.wtl\n"
                "wattle compare --plot difference.pdf runs-a/ runs-b/\n"
                "wattle compare --paired --format json runs-a/ runs-b/ | jq .rows[1].verdict\n",
    .usage_exit = WTL_EXIT_USAGE,
    .operands_in_order = true,
};
