/* SPDX-License-Identifier: BSD-3-Clause */
/* Power of a run over time: sums of the parts, the spread of the nodes, how many are known; and power within regions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/cluster/run_figure_kind.h"
#include "report/digits.h"

enum { LINES_MAX = 8, PANELS = 3, SUM_MM = 40, SPREAD_MM = 36, NODES_MM = 14, TAGS_MM = 56 };

/* ---- what is drawn ---- */

/* Parts with a line in the panel of sums: the selected one, or all. */
static size_t chosen_parts(const struct wtl_run_figure *figure, size_t *ret_parts)
{
    const struct wtl_run_profile *p = figure->data->profile;
    size_t n = 0;
    for (size_t k = 0; k < p->part_count && n < LINES_MAX; k++) {
        /* One part is the total. */
        bool same = p->part_count == 2 && k == 1;
        bool wanted = (!figure->options->part && !same) ||
                      (figure->options->part &&
                       &p->parts[k] == wtl_profile_part_find(p, figure->options->part));
        if (wanted && (p->parts[k].sum.nodes > 0 || k == 0))
            ret_parts[n++] = k;
    }
    return n;
}

/* The part whose spread over nodes is drawn: the selected one, or the total. */
static const struct wtl_profile_part *spread_part(const struct wtl_run_figure *figure)
{
    const struct wtl_run_profile *p = figure->data->profile;
    return figure->options->part ? wtl_profile_part_find(p, figure->options->part) : &p->parts[0];
}

static bool nodes_vary(const struct wtl_run_profile *p, const struct wtl_profile_part *part)
{
    for (size_t k = 1; k < p->cells; k++)
        if (part->curve.covered[k] != part->curve.covered[0])
            return true;
    return false;
}

static double greatest(const float *values, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, (double)values[k]);
    return most;
}

static int power_prepare(struct wtl_run_figure *figure, struct wattle_error *err)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const struct wtl_profile_part *part = spread_part(figure);
    char cell[32];
    if (!(greatest(part->curve.max, p->cells) > 0))
        return wtl_fail(err, -ENODATA, "nothing to draw: no power of %s is known", part->name);
    bool vary = nodes_vary(p, part);
    if (!(figure->height_mm > 0))
        figure->height_mm = 16 + SUM_MM + SPREAD_MM + (vary ? NODES_MM : 0);
    wtl_run_figure_say(
        figure,
        "Power over time, means over %s. Top: sum over the known nodes. Below: node power of %s; "
        "line: mean, dashed: median, dark band: quartiles, light band: minimum to maximum.",
        wtl_digits_time(cell, sizeof cell, p->cell_s), part->name);
    if (vary)
        wtl_run_figure_say(figure, "Bottom: number of known nodes.");
    wtl_run_figure_say_source(figure);
    return 0;
}

/* ---- drawing ---- */

/* A curve as steps; low and high are the band. Freed by the caller; NULL if out of memory. */
static struct wtl_plot_step *steps_of(const struct wtl_run_profile *p,
                                      const float *value,
                                      const float *low,
                                      const float *high)
{
    struct wtl_plot_step *steps = malloc((p->cells + 1) * sizeof *steps);
    for (size_t k = 0; steps && k < p->cells; k++)
        steps[k] = (struct wtl_plot_step){.begin = (double)k * p->cell_s,
                                          .end = (double)(k + 1) * p->cell_s,
                                          .low = (double)low[k],
                                          .value = (double)value[k],
                                          .high = (double)high[k]};
    return steps;
}

static void draw_line(const struct wtl_axes *axes,
                      const struct wtl_panel *panel,
                      const struct wtl_run_profile *p,
                      const float *values,
                      const struct wtl_paint *paint)
{
    struct wtl_plot_step *steps = steps_of(p, values, values, values);
    if (steps)
        wtl_plot_steps(axes, panel, steps, p->cells, paint);
    free(steps);
}

static void draw_band(const struct wtl_axes *axes,
                      const struct wtl_panel *panel,
                      const struct wtl_run_profile *p,
                      const float *low,
                      const float *high,
                      uint32_t color)
{
    struct wtl_plot_step *steps = steps_of(p, low, low, high);
    const struct wtl_paint paint = {.stroke = WTL_NO_COLOR, .fill = color};
    if (steps)
        wtl_plot_band(axes, panel, steps, p->cells, &paint);
    free(steps);
}

static struct wtl_paint line_paint(const struct wtl_look *look, double width)
{
    return (struct wtl_paint){
        .stroke = look->color, .fill = WTL_NO_COLOR, .width = width, .dash = look->dash};
}

static void draw_spread(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        const struct wtl_run_profile *p,
                        const struct wtl_profile_curve *curve)
{
    struct wtl_look look = wtl_palette_look(0);
    struct wtl_paint median = {
        .stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.5, .dash = WTL_DASHED};
    struct wtl_paint mean = line_paint(&look, 0.8);
    draw_band(axes, panel, p, curve->min, curve->max, wtl_palette_tint(look.color, 0.18));
    draw_band(axes, panel, p, curve->q1, curve->q3, wtl_palette_tint(look.color, 0.42));
    draw_line(axes, panel, p, curve->median, &median);
    draw_line(axes, panel, p, curve->mean, &mean);
}

static void draw_covered(const struct wtl_axes *axes,
                         const struct wtl_panel *panel,
                         const struct wtl_run_profile *p,
                         const struct wtl_profile_curve *curve)
{
    const struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
    float *values = malloc((p->cells + 1) * sizeof *values);
    for (size_t k = 0; values && k < p->cells; k++)
        values[k] = (float)curve->covered[k];
    if (values)
        draw_line(axes, panel, p, values, &ink);
    free(values);
}

static void power_draw(const struct wtl_run_figure *figure, struct wtl_axes *axes)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const struct wtl_profile_part *part = spread_part(figure);
    char sum[48], node[48];
    struct wtl_panel panels[PANELS] = {
        {.y = {.label = wtl_run_figure_label(figure, "Sum", sum, sizeof sum),
               .unit = "W",
               .grid = true},
         .weight = SUM_MM},
        {.y = {.label = wtl_run_figure_label(figure, "Node", node, sizeof node),
               .unit = "W",
               .grid = true},
         .weight = SPREAD_MM},
        {.y = {.label = "Nodes", .grid = true, .high = (double)p->node_count * 1.1},
         .weight = NODES_MM}};
    struct wtl_legend legend[LINES_MAX];
    size_t parts[LINES_MAX], count = chosen_parts(figure, parts);
    for (size_t i = 0; i < count; i++) {
        struct wtl_look look = wtl_palette_look(i);
        double high = greatest(p->parts[parts[i]].curve.sum, p->cells);
        panels[0].y.high = fmax(panels[0].y.high, 1.05 * high);
        legend[i] =
            (struct wtl_legend){.label = p->parts[parts[i]].name, .paint = line_paint(&look, 0.9)};
    }
    panels[1].y.high = 1.05 * greatest(part->curve.max, p->cells);
    axes->x = (struct wtl_chart_axis){
        .kind = WTL_AXIS_TIME, .label = "Time", .unit = "s", .high = p->length_s};
    axes->panels = panels;
    axes->panel_count = nodes_vary(p, part) ? 3 : 2;
    axes->legend = legend;
    axes->legend_count = count > 1 ? count : 0;
    wtl_axes_draw(axes);
    for (size_t i = 0; i < count; i++) {
        struct wtl_look look = wtl_palette_look(i);
        struct wtl_paint paint = line_paint(&look, 0.9);
        draw_line(axes, &panels[0], p, p->parts[parts[i]].curve.sum, &paint);
    }
    draw_spread(axes, &panels[1], p, &part->curve);
    if (axes->panel_count == 3)
        draw_covered(axes, &panels[2], p, &part->curve);
}

/* ---- regions ---- */

static int tags_prepare(struct wtl_run_figure *figure, struct wattle_error *err)
{
    const struct wtl_profile_region *regions[LINES_MAX];
    const struct wtl_run_profile *p = figure->data->profile;
    size_t count = wtl_run_top_regions(p, regions, LINES_MAX);
    char cell[32];
    if (count == 0)
        return wtl_fail(err, -ENODATA, "nothing to draw: no region was recorded");
    if (!(figure->height_mm > 0))
        figure->height_mm = TAGS_MM;
    wtl_run_figure_say(figure,
                       "Node power inside a region, means over %s. Line: mean over the nodes "
                       "inside; band: minimum to maximum.",
                       wtl_digits_time(cell, sizeof cell, p->cell_s));
    if (count < p->region_count)
        wtl_run_figure_say(figure, "%zu region%s of %zu, those with the most energy.", count,
                           count == 1 ? "" : "s", p->region_count - 1);
    wtl_run_figure_say_source(figure);
    return 0;
}

static void tags_draw(const struct wtl_run_figure *figure, struct wtl_axes *axes)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const struct wtl_profile_region *regions[LINES_MAX];
    size_t count = wtl_run_top_regions(p, regions, LINES_MAX);
    char label[48];
    struct wtl_panel panel = {
        .y = {.label = wtl_run_figure_label(figure, "Node power", label, sizeof label),
              .unit = "W",
              .grid = true}};
    struct wtl_legend legend[LINES_MAX];
    for (size_t i = 0; i < count; i++) {
        struct wtl_look look = wtl_palette_look(i);
        double high =
            fmax(greatest(regions[i]->max, p->cells), greatest(regions[i]->mean, p->cells));
        panel.y.high = fmax(panel.y.high, 1.05 * high);
        legend[i] =
            (struct wtl_legend){.label = regions[i]->sum->name, .paint = line_paint(&look, 0.9)};
    }
    panel.y.high = panel.y.high > 0 ? panel.y.high : 1;
    axes->x = (struct wtl_chart_axis){
        .kind = WTL_AXIS_TIME, .label = "Time", .unit = "s", .high = p->length_s};
    axes->panels = &panel;
    axes->panel_count = 1;
    axes->legend = legend;
    axes->legend_count = count;
    wtl_axes_draw(axes);
    for (size_t i = 0; i < count; i++)
        draw_band(axes, &panel, p, regions[i]->min, regions[i]->max,
                  wtl_palette_tint(wtl_palette_look(i).color, 0.22));
    for (size_t i = 0; i < count; i++) {
        struct wtl_look look = wtl_palette_look(i);
        struct wtl_paint paint = line_paint(&look, 1);
        draw_line(axes, &panel, p, regions[i]->mean, &paint);
    }
}

/* ---- for gnuplot ---- */

static void power_table(const struct wtl_run_figure *figure, FILE *out)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const struct wtl_profile_curve *spread = &spread_part(figure)->curve;
    size_t parts[LINES_MAX], count = chosen_parts(figure, parts);
    (void)fputs(
        "# time_s node_mean_w node_min_w node_q1_w node_median_w node_q3_w node_max_w nodes", out);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, " sum_%zu_w", i);
    (void)fputc('\n', out);
    for (size_t k = 0; k < p->cells; k++) {
        const float row[] = {spread->mean[k],   spread->min[k], spread->q1[k],
                             spread->median[k], spread->q3[k],  spread->max[k]};
        wtl_run_put_number(out, ((double)k + 0.5) * p->cell_s);
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            (void)fputc(' ', out);
            wtl_run_put_number(out, (double)row[i]);
        }
        (void)fprintf(out, " %u", spread->covered[k]);
        for (size_t i = 0; i < count; i++) {
            (void)fputc(' ', out);
            wtl_run_put_number(out, (double)p->parts[parts[i]].curve.sum[k]);
        }
        (void)fputc('\n', out);
    }
}

static void power_script(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    const struct wtl_run_profile *p = figure->data->profile;
    size_t parts[LINES_MAX], count = chosen_parts(figure, parts);
    (void)fputs("file = ", out);
    wtl_run_put_quoted(out, data_name);
    (void)fputs("\nset multiplot layout 2,1\n", out);
    wtl_run_put_label(out, figure, "Sum", "W");
    (void)fputs("set yrange [0:*]\nplot ", out);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%sfile using 1:%zu with lines lw 2 title ", i ? ", \\\n     " : "",
                      9 + i);
        wtl_run_put_quoted(out, p->parts[parts[i]].name);
    }
    (void)fputs("\nunset title\nset xlabel 'Time (s)'\n", out);
    wtl_run_put_label(out, figure, "Node", "W");
    (void)fputs("plot file using 1:3:7 with filledcurves fc rgb '#d1e4f0' title 'all nodes', \\\n"
                "     file using 1:4:6 with filledcurves fc rgb '#94c2dd' title 'middle half', \\\n"
                "     file using 1:2 with lines lw 2 lc rgb '#0072b2' title 'mean', \\\n"
                "     file using 1:5 with lines dt 2 lc rgb 'black' title 'median'\n"
                "unset multiplot\n",
                out);
}

static void tags_table(const struct wtl_run_figure *figure, FILE *out)
{
    const struct wtl_run_profile *p = figure->data->profile;
    const struct wtl_profile_region *regions[LINES_MAX];
    size_t count = wtl_run_top_regions(p, regions, LINES_MAX);
    (void)fputs("# time_s, and of each region: mean_w min_w max_w\n", out);
    for (size_t k = 0; k < p->cells; k++) {
        wtl_run_put_number(out, ((double)k + 0.5) * p->cell_s);
        for (size_t i = 0; i < count; i++) {
            const float row[] = {regions[i]->mean[k], regions[i]->min[k], regions[i]->max[k]};
            for (size_t c = 0; c < 3; c++) {
                (void)fputc(' ', out);
                wtl_run_put_number(out, (double)row[c]);
            }
        }
        (void)fputc('\n', out);
    }
}

static void tags_script(const struct wtl_run_figure *figure, const char *data_name, FILE *out)
{
    const struct wtl_profile_region *regions[LINES_MAX];
    size_t count = wtl_run_top_regions(figure->data->profile, regions, LINES_MAX);
    (void)fputs("file = ", out);
    wtl_run_put_quoted(out, data_name);
    (void)fputs("\nset xlabel 'Time (s)'\n", out);
    wtl_run_put_label(out, figure, "Node power", "W");
    (void)fputs("set yrange [0:*]\nplot ", out);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%sfile using 1:%zu with lines lw 2 title ", i ? ", \\\n     " : "",
                      2 + 3 * i);
        wtl_run_put_quoted(out, regions[i]->sum->name);
    }
    (void)fputc('\n', out);
}

const struct wtl_run_figure_ops wtl_run_figure_power = {.of_run = true,
                                                        .prepare = power_prepare,
                                                        .draw = power_draw,
                                                        .script = power_script,
                                                        .table = power_table};
const struct wtl_run_figure_ops wtl_run_figure_tags = {.of_run = true,
                                                       .prepare = tags_prepare,
                                                       .draw = tags_draw,
                                                       .script = tags_script,
                                                       .table = tags_table};
