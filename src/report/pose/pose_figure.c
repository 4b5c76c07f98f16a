/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sheet: see pose_figure.h. From the top: title, one legend for all, charts in rows and columns, gain over
 * the parameter, power over time.
 */
#include "report/pose/pose_figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "plot/canvas_back.h"
#include "report/pose/pose_caption.h"
#include "report/pose/pose_chart.h"
#include "report/pose/pose_panels.h"

enum {
    COLUMN_MM = 85,  /* of a paper */
    PAGE_MM = 174,   /* both columns */
    CHARTS_MAX = 60, /* more do not fit on a printable sheet */
    CHART_MM = 56,   /* minimum width of a chart */
    WIDE_MM = 120,   /* from there, all regions have room in a row of the legend */
    PANEL_MM = 36,   /* height of gain, of power */
    CAPTION = 2048,
    TITLE = 160
};
#define ASPECT    0.78 /* height of a chart by its width */
#define PANEL_GAP 5.0
#define LEGEND_X  4.0
#define ALIKE     0.5 /* charts share scales when each fills that part of them, both ways */

struct sheet {
    const struct wtl_pose_study *study;
    const struct wtl_pose_figure_options *options;
    struct wtl_canvas *canvas;
    struct wtl_pose_chart *charts;
    char (*titles)[TITLE]; /* [chart_count] */
    size_t chart_count, columns, rows;
    struct wtl_legend *legend;
    size_t legend_count;
    bool new_rows; /* regions begin a row: there is room for all of them */
    struct wtl_pose_power power;
    struct wtl_pose_caption what;
    double width, height, title_height, legend_height; /* points */
};

/* ---- charts ---- */

static size_t columns_for(size_t charts, size_t each, double width_mm)
{
    size_t most = width_mm >= 2 * CHART_MM ? (size_t)(width_mm / CHART_MM) : 1;
    size_t columns = charts < most ? charts : most;
    if (columns == 0)
        return 1;
    size_t rows = (charts + columns - 1) / columns;
    if (each > 1 && each <= most && charts > each)
        return each;                   /* a row for each code */
    return (charts + rows - 1) / rows; /* four are two and two */
}

/* "(a) PathFinder OpenMP, Haswell, Et^3": what distinguishes the charts. */
static void title_chart(const struct sheet *sheet, size_t i, size_t metrics_each)
{
    const struct wtl_pose_study *study = sheet->study;
    const struct wtl_pose_chart *chart = &sheet->charts[i];
    const struct wtl_pose_subject *subject = &study->subjects[chart->subject];
    bool by_code = study->subject_count > 1, by_metric = metrics_each < study->metric_count;
    char *title = sheet->titles[i];
    int n = 0;
    if (i < 26)
        n = snprintf(title, TITLE, "(%c) ", 'a' + (int)i);
    if (by_code && subject->label)
        n += snprintf(title + n, TITLE - (size_t)n, "%.60s", subject->label);
    if (by_code && subject->group)
        n += snprintf(title + n, TITLE - (size_t)n, "%s%.30s", subject->label ? ", " : "",
                      subject->group);
    if (by_metric)
        (void)snprintf(title + n, TITLE - (size_t)n, "%s%.40s",
                       by_code && (subject->label || subject->group) ? ", " : "",
                       study->metric_names[chart->metric]);
}

static bool fills(const struct wtl_pose_window *own, const struct wtl_pose_window *all)
{
    return own->t_high - own->t_low >= ALIKE * (all->t_high - all->t_low) &&
           own->e_high - own->e_low >= ALIKE * (all->e_high - all->e_low);
}

/* Use the same scales unless that makes a chart too small. */
static void share_windows(struct sheet *sheet)
{
    struct wtl_pose_window all = sheet->charts[0].window;
    bool alike = true;
    for (size_t i = 1; i < sheet->chart_count; i++) {
        const struct wtl_pose_window *own = &sheet->charts[i].window;
        all.t_low = fmin(all.t_low, own->t_low);
        all.t_high = fmax(all.t_high, own->t_high);
        all.e_low = fmin(all.e_low, own->e_low);
        all.e_high = fmax(all.e_high, own->e_high);
    }
    for (size_t i = 0; i < sheet->chart_count; i++)
        alike &= fills(&sheet->charts[i].window, &all);
    for (size_t i = 0; alike && i < sheet->chart_count; i++)
        sheet->charts[i].window = all;
    sheet->what.common_scale = alike;
}

static int make_charts(struct sheet *sheet)
{
    const struct wtl_pose_study *study = sheet->study;
    bool apart = sheet->options->layout == WTL_POSE_SIDE_BY_SIDE;
    size_t each = apart ? 1 : study->metric_count, per_code = study->metric_count / each;
    sheet->chart_count = study->subject_count * per_code;
    sheet->charts = calloc(sheet->chart_count, sizeof *sheet->charts);
    sheet->titles = calloc(sheet->chart_count, sizeof *sheet->titles);
    if (!sheet->charts || !sheet->titles)
        return -ENOMEM;
    for (size_t i = 0; i < sheet->chart_count; i++) {
        sheet->charts[i] = (struct wtl_pose_chart){
            .study = study, .subject = i / per_code, .metric = i % per_code, .metric_count = each};
        sheet->charts[i].window = wtl_pose_chart_window(study, i / per_code, i % per_code, each);
        title_chart(sheet, i, each);
        if (sheet->chart_count > 1)
            sheet->charts[i].title = sheet->titles[i];
    }
    if (sheet->chart_count > 1)
        share_windows(sheet);
    sheet->what.chart_count = sheet->chart_count;
    sheet->what.overlaid = each > 1;
    return 0;
}

/* ---- legend ---- */

/* Short names for the legend; the caption has the full names. */
static const char *const region_labels[WTL_POSE_DEGRADATION + 1] = {
    [WTL_POSE_STRONG_RUN_TIME] = "1 strong run time",
    [WTL_POSE_WEAK_RUN_TIME] = "2 weak run time",
    [WTL_POSE_POWER] = "3 power",
    [WTL_POSE_DEGRADATION] = "4 degradation",
};

static struct wtl_legend *add_entry(struct sheet *sheet, const char *label, struct wtl_paint paint)
{
    struct wtl_legend *entry = &sheet->legend[sheet->legend_count++];
    *entry = (struct wtl_legend){.label = label, .paint = paint};
    return entry;
}

static bool has_candidate_in(const struct wtl_pose_study *study, enum wtl_pose_region region)
{
    for (size_t i = 0; i < study->candidate_count; i++)
        if (wtl_pose_study_model(study, 0, 0)->verdicts[i].region == region)
            return true;
    return false;
}

static void add_regions(struct sheet *sheet)
{
    struct wtl_paint none = {.stroke = WTL_NO_COLOR, .fill = WTL_NO_COLOR};
    for (int r = 1; r <= WTL_POSE_DEGRADATION; r++) {
        enum wtl_pose_region region = (enum wtl_pose_region)r;
        bool marked = has_candidate_in(sheet->study, region);
        if (sheet->what.overlaid && !marked)
            continue;
        struct wtl_legend *entry = add_entry(
            sheet, region_labels[r], sheet->what.overlaid ? none : wtl_pose_region_paint(region));
        if (!sheet->what.overlaid)
            entry->below = wtl_pose_region_below(region);
        entry->new_row = r == 1 && sheet->new_rows;
        entry->has_marker = marked;
        entry->look = wtl_pose_region_look(region);
    }
}

static int make_legend(struct sheet *sheet)
{
    const struct wtl_pose_study *study = sheet->study;
    sheet->legend = calloc(study->metric_count + 16, sizeof *sheet->legend);
    if (!sheet->legend)
        return -ENOMEM;
    for (size_t m = 0; sheet->what.overlaid && m < study->metric_count; m++)
        add_entry(
            sheet, study->metric_names[m],
            wtl_pose_curve_paint(WTL_POSE_CURVE_OPTIMISATION_BOUND, wtl_palette_look(m).color));
    for (int c = WTL_POSE_CURVE_OPTIMISATION_BOUND; c < WTL_POSE_CURVES; c++)
        add_entry(sheet, wtl_pose_curve_titles[c],
                  wtl_pose_curve_paint((enum wtl_pose_curve)c,
                                       sheet->what.overlaid ? WTL_INK : WTL_NO_COLOR));
    add_regions(sheet);
    if (study->candidate_count > 0 && wtl_pose_chart_front(study) > 1)
        add_entry(sheet, "Pareto front", wtl_pose_front_paint());
    return 0;
}

/* Axes used only to place the legend. */
static struct wtl_axes legend_axes(const struct sheet *sheet)
{
    return (struct wtl_axes){.canvas = sheet->canvas,
                             .width = sheet->width,
                             .height = 1e4,
                             .legend = sheet->legend,
                             .legend_count = sheet->legend_count,
                             .x0 = LEGEND_X,
                             .x1 = sheet->width - LEGEND_X};
}

/* ---- the sheet ---- */

/* Text widths without a canvas: DejaVu, cairo's substitute for Helvetica, is a sixth wider. */
static size_t legend_rows(const struct sheet *sheet)
{
    struct wtl_axes axes = legend_axes(sheet);
    double size = wtl_axes_text_font(&axes).size, x = 0;
    size_t rows = 1;
    for (size_t i = 0; i < sheet->legend_count; i++) {
        double wide = 24 + 1.2 * size * wtl_font_width(sheet->legend[i].label, false);
        if (x > 0 && (x + wide - 8 > axes.x1 - axes.x0 || sheet->legend[i].new_row)) {
            rows++;
            x = 0;
        }
        x += wide;
    }
    return rows;
}

static void size_sheet(struct sheet *sheet)
{
    const struct wtl_pose_figure_options *options = sheet->options;
    sheet->rows = (sheet->chart_count + sheet->columns - 1) / sheet->columns;
    struct wtl_axes axes = legend_axes(sheet);
    sheet->title_height = options->title ? 1.6 * wtl_axes_label_font(&axes).size : 0;
    sheet->legend_height = wtl_legend_rows_height(&axes, legend_rows(sheet));
    size_t panels = (size_t)sheet->what.gain + (size_t)sheet->what.power;
    double chart = ASPECT * sheet->width / (double)sheet->columns;
    chart = fmin(fmax(chart, 44 * WTL_PT_PER_MM), 110 * WTL_PT_PER_MM);
    sheet->height = sheet->title_height + sheet->legend_height + (double)sheet->rows * chart +
                    (double)panels * (PANEL_MM * WTL_PT_PER_MM + PANEL_GAP);
    if (options->height_mm > 0)
        sheet->height = options->height_mm * WTL_PT_PER_MM;
}

static double draw_charts(struct sheet *sheet, double top, double height)
{
    double width = sheet->width / (double)sheet->columns;
    for (size_t i = 0; i < sheet->chart_count; i++) {
        struct wtl_pose_chart *chart = &sheet->charts[i];
        chart->width = width - (sheet->columns > 1 ? 3 : 0);
        chart->height = height - (sheet->rows > 1 ? 3 : 0);
        size_t row = i / sheet->columns;
        chart->left = width * (double)(i % sheet->columns);
        chart->top = top + height * (double)row;
        wtl_pose_chart_draw(sheet->canvas, chart);
    }
    return top + height * (double)sheet->rows;
}

static void draw(struct sheet *sheet)
{
    struct wtl_axes axes = legend_axes(sheet);
    size_t panels = (size_t)sheet->what.gain + (size_t)sheet->what.power;
    double top = sheet->title_height;
    if (sheet->options->title) {
        struct wtl_font font = wtl_axes_label_font(&axes);
        char text[512];
        font.bold = true;
        wtl_canvas_fit(sheet->canvas, text, sizeof text, sheet->options->title, &font,
                       wtl_canvas_safe_width(sheet->canvas, sheet->width - 2 * LEGEND_X));
        wtl_canvas_text(sheet->canvas, LEGEND_X, 1.2 * font.size, text, &font);
    }
    wtl_legend_draw(&axes, top + 2);
    top += sheet->legend_height;
    /* The rest of a given height: a panel below takes at most half of a row of charts. */
    double rest = fmax(sheet->height - top, 40);
    double panel =
        fmin(PANEL_MM * WTL_PT_PER_MM, rest / (2 * (double)sheet->rows + (double)panels));
    rest -= (double)panels * (panel + PANEL_GAP);
    top = draw_charts(sheet, top, rest / (double)sheet->rows);
    if (sheet->what.gain) {
        wtl_pose_gain_draw(sheet->canvas, sheet->study, top + PANEL_GAP, sheet->width, panel);
        top += panel + PANEL_GAP;
    }
    if (sheet->what.power)
        wtl_pose_power_draw(sheet->canvas, sheet->study, &sheet->power, top + PANEL_GAP,
                            sheet->width, panel);
}

static int prepare(struct sheet *sheet, struct wattle_error *err)
{
    int rc = 0;
    if (sheet->study->subject_count == 0 || sheet->study->metric_count == 0)
        return wtl_fail(err, -ENODATA, "no code to draw");
    size_t metrics =
        sheet->options->layout == WTL_POSE_SIDE_BY_SIDE ? sheet->study->metric_count : 1;
    if (sheet->study->subject_count > CHARTS_MAX / metrics)
        return wtl_fail(err, -E2BIG,
                        "%zu charts are too many for a figure, which has room for %d; use fewer "
                        "codes, or a page (.html)",
                        sheet->study->subject_count * metrics, (int)CHARTS_MAX);
    if (!sheet->options->no_power)
        rc = wtl_pose_power_read(sheet->study, &sheet->power, err);
    if (rc < 0)
        return rc;
    sheet->what.power = sheet->power.count > 0;
    sheet->what.gain = wtl_pose_gain_exists(sheet->study);
    rc = make_charts(sheet);
    double width_mm = sheet->options->width_mm > 0 ? sheet->options->width_mm
                      : sheet->chart_count > 1     ? PAGE_MM
                                                   : COLUMN_MM;
    sheet->width = width_mm * WTL_PT_PER_MM;
    sheet->columns =
        columns_for(sheet->chart_count, sheet->chart_count / sheet->study->subject_count, width_mm);
    sheet->new_rows = width_mm >= WIDE_MM;
    rc = rc < 0 ? rc : make_legend(sheet);
    if (rc < 0)
        return wtl_no_memory(err);
    size_sheet(sheet);
    return 0;
}

static void sheet_fini(struct sheet *sheet)
{
    free(sheet->charts);
    free(sheet->titles);
    free(sheet->legend);
    wtl_pose_power_fini(&sheet->power);
}

int wtl_pose_figure_draw(const struct wtl_pose_study *study,
                         const struct wtl_pose_figure_options *options,
                         enum wtl_picture picture,
                         FILE *out,
                         char *caption,
                         size_t n,
                         struct wattle_error *err)
{
    struct sheet sheet = {.study = study, .options = options};
    char own[CAPTION] = "";
    int rc = prepare(&sheet, err);
    if (rc == 0) {
        wtl_pose_caption_write(study, &sheet.what, own, sizeof own);
        wtl_pose_caption_write(study, &sheet.what, caption, n);
        struct wtl_sheet_size size = {.width = sheet.width,
                                      .height = sheet.height,
                                      .dpi = options->dpi,
                                      .title = options->title ? options->title : "POSE model",
                                      .desc = own};
        rc = wtl_canvas_open(picture, out, &size, &sheet.canvas, err);
    }
    if (rc == 0) {
        draw(&sheet);
        rc = wtl_canvas_close(sheet.canvas, err);
    }
    sheet_fini(&sheet);
    return rc;
}
