/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle phases graph": which letter follows which, as a picture, for Graphviz, or as the document of a model. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/phases/actions.h"
#include "report/phases/letters_report.h"

enum graph_format { GRAPH_SVG, GRAPH_DOT, GRAPH_JSON };

struct graph {
    const char *output;
    enum graph_format format;
    unsigned node;
    bool force;
};

static const char *const formats[] = {"svg", "dot", "json", NULL};

static const struct wtl_option rows[] = {
    {'o', "output", "FILE",
     "write to FILE (default: stdout); FILE.pdf and FILE.png\nare written as such",
     WTL_TAKES_TEXT(struct graph, output)},
    {0, "format", "FORMAT", "svg (default); dot, for Graphviz; or json, the whole\nmodel",
     WTL_TAKES_CHOICE(struct graph, format, formats)},
    {0, "node", "N", "transitions of node N of each run (default 1)",
     WTL_TAKES_UNSIGNED(struct graph, node, 1, WTL_PHASE_MODEL_NODES)},
    {0, "force", NULL, "overwrite FILE", WTL_SETS(struct graph, force)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END};

static int picture_of(const struct graph *graph)
{
    enum wtl_picture picture = WTL_PICTURE_SVG;
    if (graph->output && wtl_picture_of(graph->output, &picture, NULL) < 0)
        picture = WTL_PICTURE_SVG;
    return (int)picture;
}

static int write_graph(const struct graph *graph,
                       const struct wtl_model_document *document,
                       FILE *out,
                       struct wattle_error *err)
{
    if (graph->format == GRAPH_DOT)
        return wtl_report_model_dot(out, document, err);
    if (graph->format == GRAPH_JSON)
        return wtl_report_model(out, document, err);
    return wtl_report_model_picture(out, (enum wtl_picture)picture_of(graph), document, err);
}

static int draw(const struct graph *graph, const char *path, struct wattle_error *err)
{
    struct wtl_phase_model model = {0};
    struct wtl_model_document document = {0};
    struct wtl_output output;
    int rc = wtl_phase_model_read(path, &model, err);
    rc = rc < 0 ? rc : wtl_model_document_init(&document, &model, graph->node - 1, err);
    if (rc == 0 && (rc = wtl_output_open(&output, graph->output, graph->force, err)) == 0) {
        rc = write_graph(graph, &document, output.stream, err);
        rc = rc < 0 ? wtl_output_fail(&output, rc, err) : wtl_output_commit(&output, err);
    }
    wtl_model_document_fini(&document);
    wtl_phase_model_fini(&model);
    return rc;
}

int wtl_cmd_phases_graph(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_phases_graph_command;
    struct graph graph = {.node = 1};
    struct wtl_command_line line;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &graph, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count != 1)
        return wtl_usage(command, line.count == 0 ? "no model given" : "more than one model given");
    if (draw(&graph, line.words[0], &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_phases_graph_command = {
    .verb = "phases graph",
    .run = wtl_cmd_phases_graph,
    .operands = "MODEL",
    .summary = "draw which letter follows which in a model",
    .text = "Draws the letters of a model as states, with an arrow for each transition that\n"
            "occurs, as wide as it is probable. Each run begins and ends in \"start/end\".\n",
    .options = rows,
    .examples = "wattle phases graph -o graph.svg app.model\n"
                "wattle phases graph --format dot app.model | dot -Tpdf > graph.pdf\n"
                "wattle phases graph --format json app.model | jq '.letters[].mean_w'\n",
    .usage_exit = WTL_EXIT_USAGE,
};
