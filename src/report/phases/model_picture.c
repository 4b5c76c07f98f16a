/* SPDX-License-Identifier: BSD-3-Clause */
/* The state graph of a model: states on a circle, from the top clockwise; see letters_report.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "plot/palette.h"
#include "report/phases/letters_report.h"

static const double two_pi = 6.283185307179586;
enum { ROUND = 24, CURVE = 96, HEAD = 6, GREY = 0x555555 };

struct graph {
    struct wtl_canvas *canvas;
    const struct wtl_model_document *document;
    size_t states[WTL_GRAPH_STATES]; /* those that occur */
    size_t count;
    double centre, radius, dot; /* points */
};

static struct wtl_xy place(const struct graph *graph, size_t i)
{
    double angle = two_pi * (double)i / (double)graph->count;
    return (struct wtl_xy){graph->centre + graph->radius * sin(angle),
                           graph->centre - graph->radius * cos(angle)};
}

static void disc(const struct graph *graph,
                 struct wtl_xy at,
                 double radius,
                 const struct wtl_paint *paint)
{
    struct wtl_xy points[ROUND];
    for (int i = 0; i < ROUND; i++) {
        double angle = two_pi * i / ROUND;
        points[i] = (struct wtl_xy){at.x + radius * cos(angle), at.y + radius * sin(angle)};
    }
    wtl_canvas_area(graph->canvas, points, ROUND, paint);
}

static void head(const struct graph *graph, struct wtl_xy tip, double dx, double dy)
{
    struct wtl_xy points[3] = {tip,
                               {tip.x - HEAD * dx - 2.5 * dy, tip.y - HEAD * dy + 2.5 * dx},
                               {tip.x - HEAD * dx + 2.5 * dy, tip.y - HEAD * dy - 2.5 * dx}};
    wtl_canvas_area(graph->canvas, points, 3,
                    &(struct wtl_paint){.stroke = WTL_NO_COLOR, .fill = GREY});
}

static void label(const struct graph *graph, double x, double y, double probability)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%s", WTL_IN_FIGURES(probability, 2));
    wtl_canvas_text(graph->canvas, x, y, text,
                    &(struct wtl_font){.size = 6, .color = GREY, .anchor = WTL_ANCHOR_MIDDLE});
}

/* A letter that follows itself: a small loop, outside of the circle. */
static void loop(const struct graph *graph, size_t i, double probability)
{
    struct wtl_xy at = place(graph, i), points[ROUND + 1];
    double angle = two_pi * (double)i / (double)graph->count, size = graph->dot * 0.7;
    double x = at.x + (graph->dot + size * 0.6) * sin(angle);
    double y = at.y - (graph->dot + size * 0.6) * cos(angle);
    for (int k = 0; k <= ROUND; k++)
        points[k] =
            (struct wtl_xy){x + size * cos(two_pi * k / ROUND), y + size * sin(two_pi * k / ROUND)};
    wtl_canvas_lines(
        graph->canvas, points, ROUND + 1,
        &(struct wtl_paint){.stroke = GREY, .fill = WTL_NO_COLOR, .width = 0.4 + 2 * probability});
    label(graph, at.x + (graph->dot + 2 * size + 5) * sin(angle),
          at.y - (graph->dot + 2 * size + 5) * cos(angle) + 2, probability);
}

/* From one state to another: bent to the right, so that the way back is another line. */
static void arrow(const struct graph *graph, size_t from, size_t to, double probability)
{
    struct wtl_xy a = place(graph, from), b = place(graph, to), points[CURVE + 1];
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    double bend = 0.12 * length, x = dx / length, y = dy / length;
    struct wtl_xy middle = {(a.x + b.x) / 2 - 2 * bend * y, (a.y + b.y) / 2 + 2 * bend * x};
    size_t count = 0;
    for (int i = 0; i <= CURVE; i++) {
        double t = (double)i / CURVE;
        struct wtl_xy at = {(1 - t) * (1 - t) * a.x + 2 * t * (1 - t) * middle.x + t * t * b.x,
                            (1 - t) * (1 - t) * a.y + 2 * t * (1 - t) * middle.y + t * t * b.y};
        /* From the border of one state to the arrow's head at the other. */
        if (hypot(at.x - a.x, at.y - a.y) >= graph->dot &&
            hypot(at.x - b.x, at.y - b.y) >= graph->dot + HEAD - 1)
            points[count++] = at;
    }
    wtl_canvas_lines(
        graph->canvas, points, count,
        &(struct wtl_paint){.stroke = GREY, .fill = WTL_NO_COLOR, .width = 0.4 + 2 * probability});
    double ex = b.x - middle.x, ey = b.y - middle.y, e = hypot(ex, ey);
    head(graph, (struct wtl_xy){b.x - graph->dot * ex / e, b.y - graph->dot * ey / e}, ex / e,
         ey / e);
    if (probability >= 0.05)
        label(graph, 0.25 * a.x + 0.5 * middle.x + 0.25 * b.x - 7 * y,
              0.25 * a.y + 0.5 * middle.y + 0.25 * b.y + 7 * x + 2, probability);
}

static void draw_state(const struct graph *graph, size_t i)
{
    size_t state = graph->states[i], letters = graph->document->model->alphabet.count;
    struct wtl_xy at = place(graph, i);
    bool is_letter = state > 0 && state <= letters;
    uint32_t fill =
        is_letter ? wtl_palette_tint(wtl_palette_look(state - 1).color, 0.45) : 0xffffff;
    disc(graph, at, graph->dot, &(struct wtl_paint){.stroke = 0, .fill = fill, .width = 0.6});
    wtl_canvas_text(graph->canvas, at.x, at.y + (is_letter ? 0 : 2),
                    wtl_model_state_name(graph->document->model, state),
                    &(struct wtl_font){
                        .size = is_letter ? 8 : 5, .anchor = WTL_ANCHOR_MIDDLE, .bold = is_letter});
    if (is_letter && isfinite(graph->document->powers[state - 1].mean_w)) {
        char text[32];
        (void)snprintf(text, sizeof text, "%s W",
                       WTL_IN_FIGURES(graph->document->powers[state - 1].mean_w, 4));
        wtl_canvas_text(graph->canvas, at.x, at.y + 7, text,
                        &(struct wtl_font){.size = 5, .anchor = WTL_ANCHOR_MIDDLE});
    }
}

/* The states that occur; -E2BIG. */
static int find_states(struct graph *graph, struct wattle_error *err)
{
    const struct wtl_transitions *transitions = &graph->document->transitions;
    for (size_t i = 0; i < transitions->states; i++) {
        uint64_t left = 0;
        for (size_t k = 0; k < transitions->states; k++)
            left += transitions->count[i * transitions->states + k];
        if (left == 0)
            continue;
        if (graph->count == WTL_GRAPH_STATES)
            return wtl_fail(err, -E2BIG,
                            "the model has more than %d states, too many for a picture; use "
                            "--format dot or json",
                            WTL_GRAPH_STATES);
        graph->states[graph->count++] = i;
    }
    return 0;
}

static void draw(const struct graph *graph)
{
    const struct wtl_transitions *transitions = &graph->document->transitions;
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t k = 0; k < graph->count; k++) {
            double p = wtl_transition_probability(transitions, graph->states[i], graph->states[k]);
            if (p > 0 && i == k)
                loop(graph, i, p);
            else if (p > 0)
                arrow(graph, i, k, p);
        }
    }
    for (size_t i = 0; i < graph->count; i++)
        draw_state(graph, i);
}

int wtl_report_model_picture(FILE *out,
                             enum wtl_picture picture,
                             const struct wtl_model_document *document,
                             struct wattle_error *err)
{
    struct graph graph = {.document = document, .dot = 13};
    char desc[160];
    int rc = find_states(&graph, err);
    graph.radius = fmax(70, (double)graph.count * 2.6 * graph.dot / two_pi);
    graph.centre = graph.radius + 3.5 * graph.dot;
    (void)snprintf(desc, sizeof desc,
                   "Letters of %zu runs and how often one follows another, node %zu of each run.",
                   document->model->run_count, document->node + 1);
    struct wtl_sheet_size sheet = {.width = 2 * graph.centre,
                                   .height = 2 * graph.centre,
                                   .title = "State graph of the phases",
                                   .desc = desc};
    rc = rc < 0 ? rc : wtl_canvas_open(picture, out, &sheet, &graph.canvas, err);
    if (rc < 0)
        return rc;
    draw(&graph);
    return wtl_canvas_close(graph.canvas, err);
}
