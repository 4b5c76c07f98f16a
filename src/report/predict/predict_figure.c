/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a prediction: see predict_report.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/digits.h"
#include "report/predict/predict_report.h"

enum { WIDTH_MM = 120, PANEL_MM = 62, LEGEND_ROWS = 2, POINTS = 1000 };

struct curve {
    struct wtl_xy *points;
    size_t count;
};

/* Energy from the start over all nodes, whose rows have one length; malloc'ed. Across a gap it continues with what is known. */
static int make_curve(const struct wtl_prediction_report *r, bool whole, struct curve *ret)
{
    const struct wtl_subject *s = r->subject;
    const struct wtl_counter_rows *first = &s->study.nodes[0].rows;
    size_t rows = whole ? first->rows : s->rows[0].rows, per = rows / POINTS + 1, n = 0;
    double joules = 0;
    ret->points = calloc(rows / per + 3, sizeof *ret->points);
    if (!ret->points)
        return -ENOMEM;
    ret->points[n++] = (struct wtl_xy){0, 0};
    for (size_t k = 0; k < rows; k++) {
        for (size_t i = 0; i < s->node_count; i++) {
            const struct wtl_counter_rows *node = whole ? &s->study.nodes[i].rows : &s->rows[i];
            if (k < node->rows && node->known_s[k] > 0)
                joules += node->energy_j[k] / node->known_s[k] * 1e-9 *
                          (double)(wtl_counter_rows_end(node, k) - wtl_counter_rows_begin(node, k));
        }
        if ((k + 1) % per == 0 || k + 1 == rows)
            ret->points[n++] = (struct wtl_xy){
                1e-9 * (double)(wtl_counter_rows_end(first, k) - first->begin_ns), joules};
    }
    ret->count = n;
    return 0;
}

static void write_caption(const struct wtl_prediction_report *r, char *caption, size_t n)
{
    const struct wtl_prediction *p = r->prediction;
    const struct wtl_subject *s = r->subject;
    char energy[64];
    (void)snprintf(caption, n,
                   "Energy over time: %s so far%s, then predicted as %s to %s J at the end%s.%s",
                   s->derived ? "derived from counters" : wattle_quality_name(s->quality),
                   s->simulated ? " (simulated)" : "", p->program ? p->program : "an unknown run",
                   isfinite(p->energy_low_j)
                       ? wtl_digits_range(energy, sizeof energy, p->energy_j, p->energy_low_j,
                                          p->energy_high_j)
                       : wtl_digits_value(energy, sizeof energy, p->energy_j, 0.005 * p->energy_j),
                   isfinite(p->energy_low_j) ? " (95 % interval)" : "",
                   isfinite(s->whole_j) ? " Dotted: what came." : "");
}

static void draw(const struct wtl_axes *axes,
                 const struct wtl_panel *panel,
                 const struct wtl_prediction_report *r,
                 const struct curve *so_far,
                 const struct curve *all,
                 const struct wtl_legend *legend)
{
    const struct wtl_prediction *p = r->prediction;
    struct wtl_xy now = so_far->points[so_far->count - 1], end = {p->time_s, p->energy_j};
    if (isfinite(p->energy_low_j)) {
        /* Of the end alone: how power gets there is not predicted. */
        const struct wtl_paint *whisker = &legend[2].paint;
        wtl_plot_whisker_y(axes, panel, p->time_s, p->energy_low_j, p->energy_high_j, whisker);
        if (isfinite(p->time_low_s))
            wtl_plot_whisker_x(axes, panel, p->time_low_s, p->time_high_s, p->energy_j, whisker);
    }
    if (all->count > 0)
        wtl_plot_line(axes, panel, all->points, all->count, &legend[3].paint);
    const struct wtl_xy line[] = {now, end};
    wtl_plot_line(axes, panel, line, 2, &legend[1].paint);
    wtl_plot_line(axes, panel, so_far->points, so_far->count, &legend[0].paint);
}

static int draw_all(const struct wtl_prediction_report *r,
                    enum wtl_picture picture,
                    FILE *out,
                    const struct curve *so_far,
                    const struct curve *all,
                    char *caption,
                    struct wattle_error *err)
{
    const struct wtl_prediction *p = r->prediction;
    const struct wtl_subject *s = r->subject;
    uint32_t color = wtl_palette_look(0).color, other = wtl_palette_look(1).color;
    const struct wtl_legend legend[] = {
        {.label = s->derived                       ? "derived so far"
                  : s->quality == WATTLE_ESTIMATED ? "estimated so far"
                                                   : "measured so far",
         .paint = {.stroke = color, .fill = WTL_NO_COLOR, .width = 1.2}},
        {.label = "to the predicted end",
         .paint = {.stroke = other, .fill = WTL_NO_COLOR, .width = 1, .dash = WTL_DASHED}},
        {.label = "95 % interval of the end",
         .paint = {.stroke = other, .fill = WTL_NO_COLOR, .width = 1}},
        {.label = s->quality == WATTLE_ESTIMATED ? "estimated afterwards" : "measured afterwards",
         .paint = {
             .stroke = WTL_INK_FAINT, .fill = WTL_NO_COLOR, .width = 0.8, .dash = WTL_DOTTED}}};
    double high_j = fmax(p->energy_j, isfinite(p->energy_high_j) ? p->energy_high_j : 0);
    double high_s = fmax(p->time_s, isfinite(p->time_high_s) ? p->time_high_s : 0);
    high_j = isfinite(s->whole_j) ? fmax(high_j, s->whole_j) : high_j;
    high_s = isfinite(s->whole_s) ? fmax(high_s, s->whole_s) : high_s;
    struct wtl_panel panel = {
        .y = {.label = s->simulated || p->simulated ? "Energy, simulated" : "Energy",
              .unit = "J",
              .high = high_j,
              .widen = true,
              .grid = true}};
    struct wtl_axes axes = {.width = WIDTH_MM * WTL_PT_PER_MM,
                            .panels = &panel,
                            .panel_count = 1,
                            .x = {.kind = WTL_AXIS_TIME, .label = "Time", .high = 1.02 * high_s},
                            .legend = legend,
                            .legend_count = all->count > 0 ? 4 : 3};
    axes.height = PANEL_MM * WTL_PT_PER_MM + wtl_axes_frame_height(&axes, LEGEND_ROWS);
    struct wtl_sheet_size sheet = {.width = axes.width,
                                   .height = axes.height,
                                   .title = "predicted energy over time",
                                   .desc = caption};
    int rc = wtl_canvas_open(picture, out, &sheet, &axes.canvas, err);
    if (rc < 0)
        return rc;
    wtl_axes_draw(&axes);
    draw(&axes, &panel, r, so_far, all, legend);
    return wtl_canvas_close(axes.canvas, err);
}

int wtl_prediction_figure_draw(const struct wtl_prediction_report *r,
                               enum wtl_picture picture,
                               FILE *out,
                               char *caption,
                               size_t n,
                               struct wattle_error *err)
{
    struct curve so_far = {NULL, 0}, all = {NULL, 0};
    if (!isfinite(r->prediction->energy_j) || !isfinite(r->prediction->time_s))
        return wtl_fail(err, -ENODATA, "no energy is predicted, so there is nothing to draw%s%s",
                        r->prediction->why.text[0] ? ": " : "", r->prediction->why.text);
    write_caption(r, caption, n);
    int rc = make_curve(r, false, &so_far);
    if (rc == 0 && isfinite(r->subject->whole_j))
        rc = make_curve(r, true, &all);
    rc = rc < 0 ? wtl_no_memory(err) : draw_all(r, picture, out, &so_far, &all, caption, err);
    free(so_far.points);
    free(all.points);
    return rc;
}
