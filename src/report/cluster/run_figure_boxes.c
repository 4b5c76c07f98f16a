/* SPDX-License-Identifier: BSD-3-Clause */
/* Box plots of node power: quartiles and median, whiskers from 5 to 95 %, minimum and maximum as points, the mean as a cross. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/cluster/run_figure_kind.h"
#include "report/digits.h"

#define PAGE_MM 230.0
enum { NODES_MAX = 48, CASES_MAX = 64 };

/* ---- which ---- */

static size_t study_boxes(const struct wtl_study *study, struct wtl_run_box *boxes)
{
    size_t n = 0;
    for (size_t c = 0; c < study->case_count && n < CASES_MAX; c++)
        if (study->cases[c].moments.n > 0)
            boxes[n++] =
                (struct wtl_run_box){study->cases[c].name, &study->cases[c].moments, false};
    return n;
}

/* All nodes if there is space; otherwise outliers, and others evenly by name. */
static size_t node_boxes(const struct wtl_run_profile *p, struct wtl_run_box *boxes)
{
    size_t *order = malloc((p->node_count + 1) * sizeof *order), n = 0, marked = 0;
    if (p->moments.n > 0)
        boxes[n++] = (struct wtl_run_box){"all nodes", &p->moments, false};
    if (!order || wtl_profile_order(p, false, order) < 0) {
        free(order);
        return n;
    }
    for (size_t i = 0; i < p->node_count; i++)
        marked += p->nodes[i].marks != 0;
    marked = marked < NODES_MAX / 2 ? marked : NODES_MAX / 2;
    size_t room = NODES_MAX - marked;
    size_t step = p->node_count <= NODES_MAX ? 1 : (p->node_count + room - 1) / room;
    for (size_t i = 0; i < p->node_count && n <= NODES_MAX; i++) {
        const struct wtl_profile_node *node = &p->nodes[order[i]];
        bool stands_out = node->marks != 0 && marked > 0;
        if (node->power.n == 0 || (!stands_out && i % step != 0))
            continue;
        marked -= stands_out;
        boxes[n++] = (struct wtl_run_box){node->name, &node->power, node->marks != 0};
    }
    free(order);
    return n;
}

struct wtl_run_box *wtl_run_boxes(const struct wtl_run_figure *figure, size_t *ret_count)
{
    struct wtl_run_box *boxes = calloc(CASES_MAX + NODES_MAX + 2, sizeof *boxes);
    *ret_count = !boxes                ? 0
                 : figure->data->study ? study_boxes(figure->data->study, boxes)
                                       : node_boxes(figure->data->profile, boxes);
    return boxes;
}

static int boxes_prepare(struct wtl_run_figure *figure, struct wattle_error *err)
{
    const struct wtl_axes usual = {0};
    const struct wtl_run_profile *p = figure->data->profile;
    size_t count;
    struct wtl_run_box *boxes = wtl_run_boxes(figure, &count);
    char moment[32], line[32];
    free(boxes);
    if (!boxes)
        return wtl_no_memory(err);
    if (count == 0)
        return wtl_fail(err, -ENODATA, "nothing to draw: no power is known");
    if (!(figure->height_mm > 0))
        figure->height_mm = fmin((wtl_axes_frame_height(&usual, 0) +
                                  1.25 * wtl_axes_row_height(&usual) * (double)count) /
                                     WTL_PT_PER_MM,
                                 PAGE_MM);
    wtl_run_figure_say(figure, "Node power. Box: quartiles and median; whiskers: 5 to 95 %%; "
                               "points: minimum and maximum; cross: mean.");
    if (isfinite(figure->options->reference_w))
        wtl_run_figure_say(figure, "Dashed line: %s W.",
                           wtl_digits_short(line, sizeof line, figure->options->reference_w));
    if (figure->data->study) {
        wtl_run_figure_say(figure, "Over all nodes and times of a run; for several runs of a case, "
                                   "the mean of these values.");
        return 0;
    }
    wtl_run_figure_say(figure, "Over the time of each node, in means over %s.",
                       wtl_digits_time(moment, sizeof moment, p->fine_s));
    if (count - 1 < p->node_count)
        wtl_run_figure_say(figure, "%zu of %zu nodes are shown.", count - 1, p->node_count);
    wtl_run_figure_say_source(figure);
    return 0;
}

/* ---- drawing ---- */

static void draw_box(const struct wtl_axes *axes,
                     const struct wtl_panel *panel,
                     size_t row,
                     const struct wtl_run_box *one,
                     uint32_t color)
{
    const struct wtl_description *b = one->box;
    double y = (double)row + 0.5;
    struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.5};
    struct wtl_paint fill = {.stroke = WTL_INK,
                             .fill = wtl_palette_tint(color, one->marked ? 0.85 : 0.45),
                             .width = 0.5};
    const struct wtl_look cross = {.color = WTL_INK, .marker = WTL_MARKER_CROSS};
    const struct wtl_look point = {.color = WTL_INK, .marker = WTL_MARKER_CIRCLE};
    const struct wtl_xy mean = {b->mean, y}, ends[] = {{b->min, y}, {b->max, y}};
    wtl_plot_whisker_x(axes, panel, b->p5, b->p95, y, &ink);
    wtl_plot_bar(axes, panel, row, 0.6, b->q1, b->q3, &fill);
    ink.width = 1.1;
    double x = wtl_axes_x(axes, b->median), at = wtl_axes_y(panel, y);
    double half = 0.3 * (wtl_axes_y(panel, 1) - wtl_axes_y(panel, 0));
    wtl_canvas_line(axes->canvas, x, at - half, x, at + half, &ink);
    wtl_plot_markers(axes, panel, &mean, 1, 1.3, &cross);
    wtl_plot_markers(axes, panel, ends, 2, 0.6, &point);
}

static void boxes_draw(const struct wtl_run_figure *figure, struct wtl_axes *axes)
{
    const char *names[CASES_MAX + NODES_MAX + 2];
    struct wtl_panel panel = {0};
    size_t count;
    struct wtl_run_box *boxes = wtl_run_boxes(figure, &count);
    double reference = figure->options->reference_w;
    double low = isfinite(reference) ? reference : INFINITY;
    double high = isfinite(reference) ? reference : 0;
    for (size_t i = 0; i < count; i++) {
        names[i] = boxes[i].name;
        low = fmin(low, boxes[i].box->min);
        high = fmax(high, boxes[i].box->max);
    }
    double room = 0.04 * (high - low) + 0.5;
    char label[48];
    axes->x = (struct wtl_chart_axis){
        .label = wtl_run_figure_label(figure, "Node power", label, sizeof label),
        .unit = "W",
        .low = fmax(0, low - room),
        .high = high + room,
        .grid = true};
    panel.y = (struct wtl_chart_axis){.kind = WTL_AXIS_NAMES, .names = names, .name_count = count};
    axes->panels = &panel;
    axes->panel_count = 1;
    wtl_axes_draw(axes);
    for (size_t i = 0; i < count; i++)
        draw_box(axes, &panel, i, &boxes[i],
                 wtl_palette_look(figure->data->study || i == 0 ? 2 : 0).color);
    if (isfinite(reference)) {
        const struct wtl_paint line = {
            .stroke = 0xb03a00, .fill = WTL_NO_COLOR, .width = 0.8, .dash = WTL_DASHED};
        wtl_plot_vertical(axes, &panel, reference, &line);
    }
    free(boxes);
}

/* ---- for gnuplot ---- */

static void boxes_table(const struct wtl_run_figure *figure, FILE *out)
{
    size_t count;
    struct wtl_run_box *boxes = wtl_run_boxes(figure, &count);
    (void)fputs("# row name min_w p5_w q1_w median_w q3_w p95_w max_w mean_w\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct wtl_description *b = boxes[i].box;
        const double row[] = {b->min, b->p5, b->q1, b->median, b->q3, b->p95, b->max, b->mean};
        (void)fprintf(out, "%zu ", i + 1);
        wtl_run_put_data_text(out, boxes[i].name);
        for (size_t c = 0; c < sizeof row / sizeof *row; c++) {
            (void)fputc(' ', out);
            wtl_run_put_number(out, row[c]);
        }
        (void)fputc('\n', out);
    }
    free(boxes);
}

static void boxes_script(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    double reference = figure->options->reference_w;
    size_t count;
    free(wtl_run_boxes(figure, &count));
    (void)fputs("file = ", out);
    wtl_run_put_quoted(out, data_name);
    (void)fputc('\n', out);
    wtl_run_put_label(out, figure, "Node power", "W");
    (void)fputs("set boxwidth 0.5\nset style fill solid 0.4\n"
                "set xtics rotate by -45 out\nunset key\n",
                out);
    (void)fprintf(out, "set xrange [0.4:%.1f]\n", (double)count + 0.6);
    if (isfinite(reference))
        (void)fprintf(out,
                      "set arrow from graph 0,first %.9g to graph 1,first %.9g nohead dt 2 lc "
                      "rgb '#b03a00' front\n",
                      reference, reference);
    (void)fputs("plot file using 1:5:4:8:7:xtic(2) with candlesticks whiskerbars 0.5 lc rgb "
                "'#0072b2', \\\n"
                "     file using 1:6:6:6:6 with candlesticks lw 2 lc rgb 'black', \\\n"
                "     file using 1:3 with points pt 7 ps 0.3 lc rgb 'black', \\\n"
                "     file using 1:9 with points pt 7 ps 0.3 lc rgb 'black', \\\n"
                "     file using 1:10 with points pt 2 ps 0.6 lc rgb 'black'\n",
                out);
}

const struct wtl_run_figure_ops wtl_run_figure_boxes = {.of_run = true,
                                                        .of_study = true,
                                                        .prepare = boxes_prepare,
                                                        .draw = boxes_draw,
                                                        .script = boxes_script,
                                                        .table = boxes_table};
