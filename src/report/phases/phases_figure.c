/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power over time with its phases, a panel for each node: each phase is an area in the colour of its letter, with the
 * letter in it. Rows are merged to a few for each point of the sheet, with their extremes.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "plot/plot.h"
#include "report/digits.h"
#include "report/phases/phases_report.h"

enum { WIDTH_MM = 120, PANEL_MM = 38, LEGEND_ROWS = 2, STEPS = 800, LEGEND = 12, LABEL = 96 };
#define TINT     0.3
#define LETTER_H 9.0 /* points at the top of a panel, for the letters */

struct sheet {
    const struct wtl_phase_study *study;
    const struct wtl_phase_node *nodes[WTL_PHASES_FIGURE_NODES];
    struct wtl_panel panels[WTL_PHASES_FIGURE_NODES];
    char labels[WTL_PHASES_FIGURE_NODES][LABEL];
    struct wtl_plot_step *steps[WTL_PHASES_FIGURE_NODES];
    size_t step_count[WTL_PHASES_FIGURE_NODES];
    size_t count;
    double begin_s, end_s;
    struct wtl_legend legend[LEGEND];
    size_t legend_count;
};

/* Rows first .. last-1 as one step. */
static struct wtl_plot_step step_of(const struct wtl_phase_node *node, size_t first, size_t last)
{
    const struct wtl_counter_rows *rows = &node->rows;
    struct wtl_plot_step step = {.low = (double)NAN, .high = (double)NAN};
    double energy_j = 0, known_s = 0;
    for (size_t k = first; k < last; k++) {
        energy_j += rows->known_s[k] > 0 ? rows->energy_j[k] : 0;
        known_s += rows->known_s[k];
        step.low = fmin(step.low, rows->power_w[k]);
        step.high = fmax(step.high, rows->power_w[k]);
    }
    step.begin =
        node->offset_s + 1e-9 * (double)(wtl_counter_rows_begin(rows, first) - rows->begin_ns);
    step.end =
        node->offset_s + 1e-9 * (double)(wtl_counter_rows_end(rows, last - 1) - rows->begin_ns);
    step.value = known_s > 0 ? energy_j / known_s : (double)NAN;
    return step;
}

static int fill_steps(struct sheet *sheet, size_t at)
{
    const struct wtl_phase_node *node = sheet->nodes[at];
    size_t per = node->rows.rows / STEPS + 1, n = 0;
    double most = 0;
    sheet->steps[at] = calloc(node->rows.rows / per + 2, sizeof *sheet->steps[at]);
    if (!sheet->steps[at])
        return -ENOMEM;
    for (size_t k = 0; k < node->rows.rows; k += per) {
        size_t last = k + per < node->rows.rows ? k + per : node->rows.rows;
        struct wtl_plot_step step = step_of(node, k, last);
        sheet->steps[at][n++] = step;
        most = fmax(most, step.high);
        sheet->begin_s = fmin(sheet->begin_s, step.begin);
        sheet->end_s = fmax(sheet->end_s, step.end);
    }
    sheet->step_count[at] = n;
    const char *quality = wtl_result_is_simulated(&node->result)         ? ", simulated"
                          : node->rows.total.quality == WATTLE_ESTIMATED ? ", estimated"
                                                                         : "";
    (void)snprintf(sheet->labels[at], LABEL, "%s%.40s%s", sheet->study->count > 1 ? "" : "Power",
                   sheet->study->count > 1 ? node->name : "", quality);
    sheet->panels[at].y = (struct wtl_chart_axis){
        .label = sheet->labels[at], .unit = "W", .high = most > 0 ? 1.2 * most : 1, .grid = true};
    return 0;
}

static struct wtl_paint paint_of(int letter)
{
    struct wtl_look look = wtl_palette_look(letter < 0 ? 0 : (size_t)letter);
    bool again = letter >= WTL_PALETTE_COLORS; /* the colours come again, hatched */
    return (struct wtl_paint){.stroke = WTL_NO_COLOR,
                              .fill = letter < 0 ? WTL_INK_GRID
                                      : again    ? look.color
                                                 : wtl_palette_tint(look.color, TINT),
                              .hatch = again ? WTL_HATCH_FALLING : WTL_FULL};
}

static void fill_legend(struct sheet *sheet)
{
    const struct wtl_phase_study *study = sheet->study;
    for (size_t i = 0; i < study->letter_count && sheet->legend_count < LEGEND; i++)
        if (study->letters[i].phases > 0)
            sheet->legend[sheet->legend_count++] =
                (struct wtl_legend){.label = study->letters[i].name, .paint = paint_of((int)i)};
}

static void draw_phases(const struct sheet *sheet, const struct wtl_axes *axes, size_t at)
{
    const struct wtl_phase_node *node = sheet->nodes[at];
    const struct wtl_panel *panel = &sheet->panels[at];
    struct wtl_font font = wtl_axes_text_font(axes);
    font.anchor = WTL_ANCHOR_MIDDLE;
    wtl_canvas_group(axes->canvas, "phases");
    for (size_t i = 0; i < node->phases.count; i++) {
        const struct wtl_phase *phase = &node->phases.list[i];
        struct wtl_paint paint = paint_of(phase->letter);
        const char *name = wtl_phase_letter_name(sheet->study, phase->letter);
        double x0 = wtl_axes_x(axes, wtl_phase_begin_s(node, phase));
        double x1 = wtl_axes_x(axes, wtl_phase_end_s(node, phase));
        wtl_canvas_rectangle(axes->canvas, x0, panel->top, fmax(x1 - x0, 0.15),
                             panel->bottom - panel->top, &paint);
        if (wtl_canvas_text_width(axes->canvas, name, &font) < x1 - x0 - 1)
            wtl_canvas_text(axes->canvas, (x0 + x1) / 2, panel->top + LETTER_H, name, &font);
    }
    wtl_canvas_group_end(axes->canvas);
}

static void draw_power(const struct sheet *sheet, const struct wtl_axes *axes, size_t at)
{
    struct wtl_paint band = {.stroke = WTL_NO_COLOR, .fill = WTL_INK, .opacity = 0.2};
    struct wtl_paint line = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.7};
    wtl_canvas_group(axes->canvas, "power");
    wtl_plot_band(axes, &sheet->panels[at], sheet->steps[at], sheet->step_count[at], &band);
    wtl_plot_steps(axes, &sheet->panels[at], sheet->steps[at], sheet->step_count[at], &line);
    wtl_canvas_group_end(axes->canvas);
}

static void write_caption(const struct sheet *sheet, char *caption, size_t n)
{
    char row[32];
    const struct wtl_phase_node *first = sheet->nodes[0];
    const struct wtl_phase_study *study = sheet->study;
    assert(first);
    size_t used = (size_t)snprintf(
        caption, n,
        "Power over time (%s, %s) and its phases, found by %s in rows of %s; same colour: same "
        "letter. Power follows most closely",
        first->rows.total.contains[0] ? first->rows.total.contains : "no total",
        wtl_result_quality_word(&first->result), wtl_phase_method_name(first->phases.method),
        wtl_digits_time(row, sizeof row, 1e-9 * (double)first->rows.step_ns));
    for (size_t i = 0; i < study->letter_count && used < n; i++) {
        const struct wtl_phase_letter *letter = &study->letters[i];
        if (letter->phases == 0 || letter->ranked == 0)
            continue;
        used += (size_t)snprintf(caption + used, n - used, " in %s:", letter->name);
        for (unsigned c = 0; c < letter->ranked && used < n; c++)
            used += (size_t)snprintf(caption + used, n - used, "%s %s", c ? "," : "",
                                     letter->counters[c]);
        if (used < n)
            used += (size_t)snprintf(caption + used, n - used, ";");
    }
    if (used < n && caption[used - 1] == ';')
        caption[used - 1] = '.';
}

static int choose_nodes(struct sheet *sheet, struct wattle_error *err)
{
    const struct wtl_phase_study *study = sheet->study;
    for (size_t i = 0; i < study->count; i++) {
        if (study->nodes[i].why.text[0])
            continue;
        if (sheet->count == WTL_PHASES_FIGURE_NODES)
            return wtl_fail(err, -E2BIG, "a figure shows at most %d nodes; choose one with --node",
                            WTL_PHASES_FIGURE_NODES);
        sheet->nodes[sheet->count] = &study->nodes[i];
        if (fill_steps(sheet, sheet->count++) < 0)
            return wtl_no_memory(err);
    }
    return 0;
}

static int draw(struct sheet *sheet,
                const struct wtl_phases_figure *figure,
                FILE *out,
                const char *caption,
                struct wattle_error *err)
{
    struct wtl_axes axes = {
        .width = (figure->width_mm > 0 ? figure->width_mm : WIDTH_MM) * WTL_PT_PER_MM,
        .title = figure->title,
        .panels = sheet->panels,
        .panel_count = sheet->count,
        .x = {.kind = WTL_AXIS_TIME, .label = "Time", .low = sheet->begin_s, .high = sheet->end_s},
        .legend = sheet->legend,
        .legend_count = sheet->legend_count};
    axes.height = figure->height_mm > 0 ? figure->height_mm * WTL_PT_PER_MM
                                        : (double)sheet->count * PANEL_MM * WTL_PT_PER_MM +
                                              wtl_axes_frame_height(&axes, LEGEND_ROWS);
    struct wtl_sheet_size size = {.width = axes.width,
                                  .height = axes.height,
                                  .dpi = figure->dpi,
                                  .title = figure->title ? figure->title : "phases",
                                  .desc = caption};
    int rc = wtl_canvas_open(figure->picture, out, &size, &axes.canvas, err);
    if (rc < 0)
        return rc;
    wtl_axes_draw(&axes);
    for (size_t i = 0; i < sheet->count; i++) {
        draw_phases(sheet, &axes, i);
        draw_power(sheet, &axes, i);
    }
    return wtl_canvas_close(axes.canvas, err);
}

int wtl_phases_figure_draw(const struct wtl_phase_study *study,
                           const struct wtl_phases_figure *figure,
                           FILE *out,
                           char *caption,
                           size_t n,
                           struct wattle_error *err)
{
    struct sheet sheet = {.study = study, .begin_s = INFINITY, .end_s = -INFINITY};
    int rc = choose_nodes(&sheet, err);
    if (rc == 0) {
        fill_legend(&sheet);
        write_caption(&sheet, caption, n);
        rc = draw(&sheet, figure, out, caption, err);
    }
    for (size_t i = 0; i < sheet.count; i++)
        free(sheet.steps[i]);
    return rc;
}
