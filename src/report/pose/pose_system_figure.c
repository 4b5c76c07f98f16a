/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A row for each machine and metric: at the left Pmin to Pmax, at the right a bar for each bound, from 1 (nothing to
 * gain) to its ratio.
 */
#include "report/pose/pose_system_figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/quality.h"
#include "plot/plot.h"
#include "report/pose/pose_text.h"

enum { WIDTH_MM = 120, NAME = 96, CAPTION = 1024, LEGEND_ROWS = 3, ROWS_MAX = 40 };
#define LINES     5.0  /* of a row */
#define POWER     0.46 /* of the width, with the names */
#define BARS      0.86 /* of a row, all five */
#define LEGEND_X  4.0
#define VALUE_GAP 2.0

struct sheet {
    const struct wtl_pose_study *study;
    struct wtl_canvas *canvas;
    char (*names)[NAME]; /* [rows] */
    const char **texts;  /* [rows], names or "" */
    size_t rows;
    struct wtl_legend legend[WTL_POSE_INSIGHTS];
};

static const struct wtl_pose_system_summary *system_of(const struct sheet *sheet, size_t row)
{
    return &sheet->study->systems[row / sheet->study->metric_count];
}

/* Of the bound in the row; NaN = it depends on the run time. */
static size_t index_of(const struct sheet *sheet, size_t row, size_t insight)
{
    return row % sheet->study->metric_count * WTL_POSE_INSIGHTS + insight;
}

static void name_rows(struct sheet *sheet)
{
    const struct wtl_pose_study *study = sheet->study;
    for (size_t r = 0; r < sheet->rows; r++) {
        char machine[NAME];
        const char *metric = study->metric_names[r % study->metric_count];
        bool one = study->system_count == 1, single = study->metric_count == 1;
        const char *name =
            wtl_pose_system_name(study, r / study->metric_count, machine, sizeof machine);
        (void)snprintf(sheet->names[r], NAME, "%.50s%s%.40s", one ? "" : name,
                       one || single ? "" : ", ", single && !one ? "" : metric);
    }
}

static struct wtl_paint paint_of(size_t insight)
{
    uint32_t color = wtl_palette_look(insight).color;
    return (struct wtl_paint){.stroke = color, .fill = wtl_palette_tint(color, 0.65), .width = 0.4};
}

static void begin_column(struct sheet *sheet,
                         struct wtl_axes *axes,
                         struct wtl_panel *panel,
                         bool named)
{
    for (size_t r = 0; r < sheet->rows; r++)
        sheet->texts[r] = named ? sheet->names[r] : "";
    panel->y = (struct wtl_chart_axis){
        .kind = WTL_AXIS_NAMES, .names = sheet->texts, .name_count = sheet->rows};
    axes->panels = panel;
    axes->panel_count = 1;
    wtl_axes_draw(axes);
}

static void draw_power(struct sheet *sheet, struct wtl_axes *axes)
{
    const struct wtl_paint bar = {.stroke = WTL_INK_FAINT, .fill = WTL_INK_GRID, .width = 0.4};
    const struct wtl_paint ink = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
    struct wtl_panel panel = {0};
    const char *quality = NULL;
    double most = 0;
    char label[48];
    for (size_t r = 0; r < sheet->rows; r++) {
        const struct wtl_pose_system_summary *system = system_of(sheet, r);
        bool calibrated = system->bounds_origin == WTL_POSE_CALIBRATION;
        most = fmax(most, system->pmax_w + fmax(system->pmax_half_w, 0));
        if (calibrated && (system->bounds_simulated || system->bounds_quality != WATTLE_MEASURED))
            quality = wtl_quality_word(system->bounds_quality, system->bounds_simulated);
    }
    (void)snprintf(label, sizeof label, "Power%s%.20s", quality ? ", " : "",
                   quality ? quality : "");
    axes->x =
        (struct wtl_chart_axis){.label = label, .unit = "W", .high = 1.05 * most, .grid = true};
    begin_column(sheet, axes, &panel, true);
    struct wtl_font font = wtl_axes_text_font(axes);
    font.size -= 1;
    font.anchor = WTL_ANCHOR_END;
    for (size_t r = 0; r < sheet->rows; r++) {
        const struct wtl_pose_system_summary *system = system_of(sheet, r);
        double y = (double)r + 0.5;
        char low[32];
        wtl_plot_bar(axes, &panel, r, 0.3, system->pmin_w, system->pmax_w, &bar);
        char text[64], high[32];
        (void)snprintf(text, sizeof text, "%s to %s W",
                       wtl_pose_number(low, sizeof low, system->pmin_w, 100),
                       wtl_pose_number(high, sizeof high, system->pmax_w, 100));
        wtl_canvas_text(axes->canvas, wtl_axes_x(axes, system->pmax_w), wtl_axes_y(&panel, y - 0.2),
                        text, &font);
        if (system->pmin_half_w > 0)
            wtl_plot_whisker_x(axes, &panel, system->pmin_w - system->pmin_half_w,
                               system->pmin_w + system->pmin_half_w, y, &ink);
        if (system->pmax_half_w > 0)
            wtl_plot_whisker_x(axes, &panel, system->pmax_w - system->pmax_half_w,
                               system->pmax_w + system->pmax_half_w, y, &ink);
    }
}

static void draw_bound(const struct sheet *sheet,
                       const struct wtl_axes *axes,
                       const struct wtl_panel *panel,
                       size_t row,
                       size_t insight)
{
    const struct wtl_pose_system_summary *system = system_of(sheet, row);
    size_t at = index_of(sheet, row, insight);
    double ratio = system->ratios[at], high = BARS / WTL_POSE_INSIGHTS;
    double top = (double)row + (1 - BARS) / 2 + (double)insight * high, middle = top + high / 2;
    struct wtl_paint paint = paint_of(insight), ink = {.stroke = WTL_INK, .width = 0.5};
    const struct wtl_xy corners[] = {
        {1, top + 0.02}, {ratio, top + 0.02}, {ratio, top + high - 0.02}, {1, top + high - 0.02}};
    struct wtl_font font = wtl_axes_text_font(axes);
    struct wtl_pose_range range = system->ranges[at];
    char text[32] = "depends on run time";
    double end = 1;
    font.size -= 1;
    ink.fill = WTL_NO_COLOR;
    if (isfinite(ratio)) {
        end = isfinite(range.high) ? fmax(range.high, ratio) : ratio;
        wtl_plot_area(axes, panel, corners, 4, &paint);
        (void)wtl_pose_ratio(text, sizeof text, ratio);
    }
    if (isfinite(ratio) && range.high > range.low)
        wtl_plot_whisker_x(axes, panel, range.low, range.high, middle, &ink);
    wtl_canvas_text(axes->canvas, wtl_axes_x(axes, end) + VALUE_GAP,
                    wtl_axes_y(panel, middle) + 0.35 * font.size, text, &font);
}

static void draw_bounds(struct sheet *sheet, struct wtl_axes *axes)
{
    struct wtl_panel panel = {0};
    double most = 1.1;
    for (size_t r = 0; r < sheet->rows; r++)
        for (size_t i = 0; i < WTL_POSE_INSIGHTS; i++) {
            size_t at = index_of(sheet, r, i);
            double ratio = system_of(sheet, r)->ratios[at];
            double high = system_of(sheet, r)->ranges[at].high;
            most = isfinite(ratio) ? fmax(most, isfinite(high) ? fmax(ratio, high) : ratio) : most;
        }
    axes->x = (struct wtl_chart_axis){
        .label = "Ratio, at most (x)", .low = 1, .high = 1 + 1.25 * (most - 1), .grid = true};
    begin_column(sheet, axes, &panel, false);
    for (size_t r = 0; r < sheet->rows; r++) {
        wtl_canvas_group(sheet->canvas, sheet->names[r]);
        for (size_t i = 0; i < WTL_POSE_INSIGHTS; i++)
            draw_bound(sheet, axes, &panel, r, i);
        wtl_canvas_group_end(sheet->canvas);
    }
}

static void caption_systems(const struct wtl_pose_study *study,
                            size_t rows,
                            char *caption,
                            size_t n)
{
    size_t all = study->system_count * study->metric_count;
    int used = snprintf(caption, n,
                        "System summary: Pmin to Pmax of each machine, and what any code on it can "
                        "gain at most under ");
    for (size_t m = 0; m < study->metric_count && used > 0 && (size_t)used < n; m++)
        used += snprintf(caption + used, n - (size_t)used, "%s%.60s",
                         m == 0                         ? ""
                         : m + 1 == study->metric_count ? " and "
                                                        : ", ",
                         study->metric_names[m]);
    if (used > 0 && (size_t)used < n)
        used += snprintf(caption + used, n - (size_t)used,
                         ". The bounds are ratios of before to after: actual optimisations gain "
                         "less.");
    for (size_t i = 0; i < study->system_count && used > 0 && (size_t)used < n; i++)
        if (study->systems[i].bounds_origin == WTL_POSE_CALIBRATION &&
            study->systems[i].bounds_simulated) {
            (void)snprintf(caption + used, n - (size_t)used, " The machine is simulated.");
            break;
        }
    used = (int)strlen(caption);
    if (all > rows && (size_t)used < n)
        (void)snprintf(caption + used, n - (size_t)used, " %zu further rows are left out.",
                       all - rows);
}

static void draw(struct sheet *sheet,
                 const struct wtl_pose_figure_options *options,
                 struct wtl_axes axes)
{
    double whole = axes.width, top = 2;
    struct wtl_axes legend = axes;
    legend.legend = sheet->legend;
    legend.legend_count = WTL_POSE_INSIGHTS;
    legend.x0 = LEGEND_X;
    legend.x1 = whole - LEGEND_X;
    if (options->title) {
        struct wtl_font font = wtl_axes_label_font(&axes);
        char text[512];
        font.bold = true;
        wtl_canvas_fit(sheet->canvas, text, sizeof text, options->title, &font,
                       wtl_canvas_safe_width(sheet->canvas, whole - 2 * LEGEND_X));
        wtl_canvas_text(sheet->canvas, LEGEND_X, 1.2 * font.size, text, &font);
        top += 1.6 * font.size;
    }
    wtl_legend_draw(&legend, top);
    top += wtl_legend_rows_height(&axes, LEGEND_ROWS);
    axes.top = top;
    axes.height -= top;
    axes.width = POWER * whole;
    draw_power(sheet, &axes);
    axes.left = POWER * whole;
    axes.width = (1 - POWER) * whole;
    draw_bounds(sheet, &axes);
}

int wtl_pose_system_figure_draw(const struct wtl_pose_study *study,
                                const struct wtl_pose_figure_options *options,
                                enum wtl_picture picture,
                                FILE *out,
                                char *caption,
                                size_t n,
                                struct wattle_error *err)
{
    struct sheet sheet = {.study = study, .rows = study->system_count * study->metric_count};
    struct wtl_axes axes = {0};
    sheet.rows = sheet.rows < ROWS_MAX ? sheet.rows : ROWS_MAX;
    sheet.names = calloc(sheet.rows + 1, sizeof *sheet.names);
    sheet.texts = calloc(sheet.rows + 1, sizeof(char *));
    int rc = sheet.names && sheet.texts ? 0 : wtl_no_memory(err);
    if (rc == 0) {
        name_rows(&sheet);
        caption_systems(study, sheet.rows, caption, n);
        for (size_t i = 0; i < WTL_POSE_INSIGHTS; i++)
            sheet.legend[i] =
                (struct wtl_legend){.label = wtl_pose_insight_titles[i], .paint = paint_of(i)};
        axes.width = (options->width_mm > 0 ? options->width_mm : WIDTH_MM) * WTL_PT_PER_MM;
        axes.height = wtl_legend_rows_height(&axes, LEGEND_ROWS) + wtl_axes_frame_height(&axes, 0) +
                      LINES * wtl_axes_row_height(&axes) * (double)sheet.rows +
                      (options->title ? 1.6 * wtl_axes_label_font(&axes).size : 0);
        if (options->height_mm > 0)
            axes.height = options->height_mm * WTL_PT_PER_MM;
        const struct wtl_sheet_size size = {.width = axes.width,
                                            .height = axes.height,
                                            .dpi = options->dpi,
                                            .title = options->title ? options->title
                                                                    : "POSE system summary",
                                            .desc = caption};
        rc = wtl_canvas_open(picture, out, &size, &sheet.canvas, err);
    }
    if (rc == 0) {
        axes.canvas = sheet.canvas;
        draw(&sheet, options, axes);
        rc = wtl_canvas_close(sheet.canvas, err);
    }
    free(sheet.names);
    free(sheet.texts);
    return rc;
}
