/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle phases": the phases of a run as text, document, figure or DNA. With "learn" or "graph" as the first word,
 * these actions (actions.h).
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/letter.h"
#include "analysis/phases/model.h"
#include "analysis/phases/phase_study.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/phases/actions.h"
#include "cli/report/report_figure.h"
#include "cli/run_words.h"
#include "report/phases/letters_report.h"
#include "report/phases/phases_report.h"

enum { CAPTION = 1536 };

struct phases {
    struct wtl_phase_request what;
    unsigned method;
    uint64_t window, min_length_ns, letter_ns;
    bool sliding, dna, sorted, force, verbose;
    const char *model, *plot;
    double significance; /* NaN = not given */
    unsigned dpi;
    struct wtl_phases_figure figure;
    enum wtl_format format;
};

static const char *const methods[] = {"focus", "np-focus", "pelt", "paper", NULL};

static int take_idle(const struct wtl_command *command, void *place, const char *value)
{
    double *beta = place;
    if (wtl_parse_double(value, beta) < 0 || !(*beta > 0) || !isfinite(*beta))
        return wtl_usage(command, "--idle: \"%s\" is not a number of cache misses per cycle",
                         value);
    return 0;
}

static int take_size(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_phases_figure *figure = place;
    return wtl_figure_take_size(command, value, &figure->width_mm, &figure->height_mm);
}

static const struct wtl_option options_table[] = {
    {0, "method", "METHOD", "how changes are found: focus (default), np-focus,\npelt, or paper",
     WTL_TAKES_CHOICE(struct phases, method, methods)},
    {0, "row", "DUR", "look for changes in rows of DUR (default: as the\ncounters were recorded)",
     WTL_TAKES_DURATION(struct phases, what.step_ns, 1)},
    {0, "min-length", "DUR", "no phase is shorter than DUR",
     WTL_TAKES_DURATION(struct phases, what.min_length_ns, 1)},
    {0, "window", "N", "paper: rows of the window (default: counters + 2)",
     WTL_TAKES_U64(struct phases, window, 3, 1000000)},
    {0, "sliding", NULL, "paper: the window slides instead of growing",
     WTL_SETS(struct phases, sliding)},
    {0, "top", "K", "paper: compare the K counters with the largest\ncorrelation (default 4)",
     WTL_TAKES_UNSIGNED(struct phases, what.options.top, 1, WTL_ROW_COLUMNS)},
    {0, "significance", "PERCENT",
     "paper: compare the counters that a regression finds\nsignificant at this level, such as 5%",
     WTL_TAKES_PERCENT(struct phases, significance)},
    {0, "node", "NAME", "only this node of the run", WTL_TAKES_TEXT(struct phases, what.node)},
    {0, "model", "MODEL", "the letters of this model, not of the run alone",
     WTL_TAKES_INPUT(struct phases, model)},
    {0, "idle", "BETA", "letters with fewer cache misses per cycle are XXX",
     WTL_CALLS(struct phases, what.idle_beta, take_idle)},
    {0, "dna", NULL, "print the letters with their durations, a line for\neach node",
     WTL_SETS(struct phases, dna)},
    {0, "step", "DUR", "with --dna: letters of this length, such as 15s",
     WTL_TAKES_DURATION(struct phases, letter_ns, 1)},
    {0, "sorted", NULL,
     "with --dna and --method paper: counters of a letter\nin the order of the set",
     WTL_SETS(struct phases, sorted)},
    {'o', "plot", "FILE",
     "draw power and phases: FILE.svg, .pdf or .png, or\n\"-\" for SVG on stdout. Prints the "
     "caption",
     WTL_TAKES_TEXT(struct phases, plot)},
    {0, "size", "SIZE", "size of the figure: WIDTH or WIDTHxHEIGHT in mm\n(default width 120)",
     WTL_CALLS(struct phases, figure, take_size)},
    {0, "dpi", "N", "resolution of a PNG in dpi (default 300)",
     WTL_TAKES_UNSIGNED(struct phases, dpi, 30, 2400)},
    {0, "title", "TEXT", "title above the figure (default: none)",
     WTL_TAKES_TEXT(struct phases, figure.title)},
    {0, "force", NULL, "overwrite an existing file", WTL_SETS(struct phases, force)},
    WTL_OPTION_FORMAT(struct phases, format),
    {'v', "verbose", NULL, "also print what the energy leaves out",
     WTL_SETS(struct phases, verbose)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int check_plot(const struct wtl_command_line *line, const struct phases *p)
{
    const struct wtl_command *command = &wtl_phases_command;
    if (p->dna)
        return wtl_usage(command, "--plot cannot be used with --dna");
    if (wtl_option_given(command, line, "format"))
        return wtl_usage(command, "--plot cannot be used with --format");
    return WTL_GO_ON;
}

/* Options that mean nothing without another one. Returns 0, or the exit status of the usage error. */
static int check(const struct wtl_command_line *line, const struct phases *p)
{
    static const char *const of_paper[] = {"window", "sliding", "top", "significance", NULL};
    static const char *const of_dna[] = {"step", "sorted", NULL};
    static const char *const of_plot[] = {"size", "dpi", "title", "force", NULL};
    const struct wtl_command *command = &wtl_phases_command;
    const char *name = wtl_option_first_given(command, line, of_paper);
    int status;
    if (name && p->method != WTL_PHASE_PAPER)
        return wtl_usage(command, "--%s requires --method paper", name);
    if (!isnan(p->significance) && wtl_option_given(command, line, "top"))
        return wtl_usage(command, "--top cannot be used with --significance");
    if (p->significance >= 1)
        return wtl_usage(command, "--significance must be below 100%%, for example 5%%");
    if ((name = wtl_option_first_given(command, line, of_dna)) && !p->dna)
        return wtl_usage(command, "--%s requires --dna", name);
    if ((name = wtl_option_first_given(command, line, of_plot)) && !p->plot)
        return wtl_usage(command, "--%s requires --plot FILE", name);
    if (p->plot && (status = check_plot(line, p)) != WTL_GO_ON)
        return status;
    if (line->count == 0)
        return wtl_usage(command, "no trace given");
    if (line->count > 1)
        return wtl_usage(command, "more than one run given; use it for each of them");
    return WTL_GO_ON;
}

static void complete(struct phases *p)
{
    struct wtl_phase_options *options = &p->what.options;
    options->method = (enum wtl_phase_method)p->method;
    options->window_rows = (size_t)p->window;
    options->window = p->sliding ? WTL_PHASE_SLIDING : WTL_PHASE_GROWING;
    if (!isnan(p->significance)) {
        options->relevance = WTL_PHASE_REGRESSION;
        options->significance = p->significance;
    }
    p->figure.dpi = p->dpi;
}

/* ---- output ---- */

static int plot(struct phases *p, const struct wtl_phase_study *study, struct wattle_error *err)
{
    struct wtl_output output;
    char caption[CAPTION] = "";
    bool standard = strcmp(p->plot, "-") == 0;
    int rc = standard ? 0 : wtl_picture_of(p->plot, &p->figure.picture, err);
    rc = rc < 0 ? rc : wtl_output_open(&output, p->plot, p->force, err);
    if (rc < 0)
        return rc;
    rc = wtl_phases_figure_draw(study, &p->figure, output.stream, caption, sizeof caption, err);
    if (rc < 0)
        return wtl_output_fail(&output, rc, err);
    rc = wtl_output_commit(&output, err);
    return rc < 0 || standard ? rc : wtl_report_figure_caption(p->plot, caption, err);
}

/* One line for each node that has phases, "HOST: A12 B3 XXX5"; JSON; or CSV with a row for each letter. */
struct wtl_dna_request {
    double step_s; /* 0 = of phase length */
    bool sorted;   /* letters of the paper with their ids sorted */
    enum wtl_format format;
    const struct wtl_alphabet *alphabet; /* the one that the letters of the study are of */
};

/* The same letters with the ids of their codes sorted; letters is owned. */
static int sort_codes(const struct wtl_alphabet *alphabet, struct wtl_alphabet *ret_sorted)
{
    size_t count = alphabet->count;
    *ret_sorted = *alphabet;
    ret_sorted->letters = calloc(count ? count : 1, sizeof *ret_sorted->letters);
    if (!ret_sorted->letters)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct wtl_letter *letter = &ret_sorted->letters[i];
        *letter = alphabet->letters[i];
        letter->code = wtl_letter_sorted(letter->code);
        if (alphabet->codes && !letter->idle)
            wtl_letter_text(letter->code, letter->name, sizeof letter->name);
    }
    return 0;
}

static int phases_dna(const struct wtl_dna_request *request,
                      const struct wtl_phase_study *study,
                      FILE *out,
                      struct wattle_error *err)
{
    struct wtl_alphabet sorted = {.columns = 0};
    struct wtl_dna_document document = {.alphabet = request->alphabet, .step_s = request->step_s};
    int rc = 0;
    document.nodes = calloc(study->count + 1, sizeof *document.nodes);
    if (!document.nodes || (request->sorted && sort_codes(request->alphabet, &sorted) < 0))
        rc = wtl_no_memory_for(err, "the letters");
    assert(rc < 0 || document.nodes);
    if (rc == 0 && request->sorted)
        document.alphabet = &sorted;
    for (size_t i = 0; rc == 0 && i < study->count; i++) {
        const struct wtl_phase_node *node = &study->nodes[i];
        struct wtl_dna_node *added = &document.nodes[document.count];
        if (node->why.text[0])
            continue;
        added->name = *node->name ? node->name : "node";
        rc = wtl_dna_of_phases(&node->rows, &node->phases, request->step_s, &added->dna, err);
        document.count += rc == 0;
        document.step_s = rc == 0 ? added->dna.step_s : 0; /* of whole rows */
    }
    rc = rc < 0 ? rc : wtl_report_dna(out, request->format, &document, err);
    for (size_t i = 0; i < document.count; i++)
        wtl_dna_fini(&document.nodes[i].dna);
    free(document.nodes);
    free(sorted.letters);
    return rc;
}

static int print_dna(const struct phases *p,
                     const struct wtl_phase_study *study,
                     struct wattle_error *err)
{
    struct wtl_dna_request request = {.step_s = 1e-9 * (double)p->letter_ns,
                                      .sorted = p->sorted,
                                      .format = p->format,
                                      .alphabet =
                                          p->what.alphabet ? p->what.alphabet : &study->alphabet};
    for (size_t i = 0; i < study->count; i++) {
        const struct wtl_phase_node *node = &study->nodes[i];
        if (node->why.text[0])
            wtl_complain(&wtl_phases_command, "%s: no phases: %s", node->name, node->why.text);
    }
    int rc = phases_dna(&request, study, stdout, err);
    return rc < 0 ? rc : wtl_flush(stdout, err);
}

static int print(struct phases *p, struct wtl_phase_study *study, struct wattle_error *err)
{
    struct wtl_style style = wtl_style_of(stdout);
    style.verbose = p->verbose;
    if (p->plot)
        return plot(p, study, err);
    return p->dna ? print_dna(p, study, err)
                  : wtl_report_phases(stdout, p->format, study, &style, err);
}

/* ---- the verb ---- */

static int find(struct phases *p, const char *word, struct wattle_error *err)
{
    struct wtl_phase_model model = {0};
    struct wtl_phase_study study = {0};
    char *name = NULL;
    int rc = p->model ? wtl_phase_model_read(p->model, &model, err) : 0;
    if (rc == 0 && p->model)
        p->what.alphabet = &model.alphabet;
    rc = rc < 0 ? rc : wtl_run_word_single(&wtl_phases_command, word, &name, err);
    rc = rc < 0 ? rc : wtl_phase_study_read(&study, name, &p->what, err);
    rc = rc < 0 ? rc : print(p, &study, err);
    p->what.alphabet = NULL; /* it goes with the model */
    wtl_phase_study_fini(&study);
    wtl_phase_model_fini(&model);
    free(name);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_phases_command;
    struct wtl_command_line line;
    struct wattle_error err = {""};
    struct phases p = {.what = {.options = wtl_phase_options_default(), .idle_beta = (double)NAN},
                       .significance = (double)NAN};
    if (argc > 1 && strcmp(argv[1], "learn") == 0)
        return wtl_cmd_phases_learn(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "graph") == 0)
        return wtl_cmd_phases_graph(argc - 1, argv + 1);
    int status = wtl_command_read(command, argc, argv, &p, &line);
    if (status != WTL_GO_ON || (status = check(&line, &p)) != WTL_GO_ON)
        return status;
    complete(&p);
    if (find(&p, line.words[0], &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_phases_command = {
    .verb = "phases",
    .run = run,
    .operands = "TRACE|DIR | learn | graph",
    .summary = "find phases of a run in its counters",
    .text = "Finds where the behaviour of a program changes, from counters and power that\n"
            "\"wattle run --counters\" recorded: begin, end, power and energy of each phase,\nand "
            "what its power follows. Phases that behave alike have the same letter.\n"
            "\"wattle phases learn\" learns letters from many runs, \"wattle phases graph\" draws\n"
            "how they follow each other.\n",
    .options = options_table,
    .examples = "wattle phases app.wtl\n"
                "wattle phases --plot phases.svg app.wtl\n"
                "wattle phases --method paper --sliding --window 20 app.wtl\n"
                "wattle phases --dna --step 15s traces/\n"
                "wattle phases --format json app.wtl | jq '.nodes[].phases[].letter'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
