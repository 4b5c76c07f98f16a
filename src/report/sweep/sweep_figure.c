/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a sweep: see sweep_report.h. */
#include <math.h>
#include <stdio.h>

#include "plot/plot.h"
#include "report/sweep/sweep_report.h"

enum { PANELS = 4, WIDTH_MM = 120, PANEL_MM = 62, LEGEND_ROWS = 2, LABELLED = 24 };

/* Range of what is drawn, with room for labels. */
static void range(double low, double high, double *ret_low, double *ret_high)
{
    double margin = fmax(0.07 * (high - low), 1e-4 * fabs(high));
    *ret_low = low - margin;
    *ret_high = high + margin;
}

static void range_of(const struct wtl_sweep *sweep,
                     const struct wtl_sweep_curve *curve,
                     struct wtl_chart_axis *axis)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const struct wtl_sweep_point *p = &curve->points[i];
        low = fmin(low, fmin(p->energy_j, p->low_j));
        high = fmax(high, fmax(p->energy_j, p->high_j));
    }
    range(low, high, &axis->low, &axis->high);
}

static void times_of(const struct wtl_sweep *sweep, struct wtl_chart_axis *axis)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const struct wtl_sweep_setting *s = &sweep->settings[i];
        low = fmin(low, fmin(s->time_s, s->time_low_s));
        high = fmax(high, fmax(s->time_s, s->time_high_s));
    }
    range(low, high, &axis->low, &axis->high);
}

/* The joint interval of each setting: Student's 95 % in both directions. */
static void draw_intervals(const struct wtl_axes *axes,
                           const struct wtl_panel *panel,
                           const struct wtl_sweep *sweep,
                           const struct wtl_sweep_curve *curve,
                           struct wtl_look look)
{
    struct wtl_paint box = {.stroke = WTL_NO_COLOR, .fill = look.color, .opacity = 0.08};
    struct wtl_paint line = {.stroke = look.color, .fill = WTL_NO_COLOR, .width = 0.6};
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const struct wtl_sweep_setting *s = &sweep->settings[i];
        const struct wtl_sweep_point *p = &curve->points[i];
        if (!(p->low_j < p->high_j) || !(s->time_low_s <= s->time_high_s))
            continue;
        const struct wtl_xy corners[] = {{s->time_low_s, p->low_j},
                                         {s->time_high_s, p->low_j},
                                         {s->time_high_s, p->high_j},
                                         {s->time_low_s, p->high_j}};
        wtl_plot_area(axes, panel, corners, 4, &box);
    }
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const struct wtl_sweep_setting *s = &sweep->settings[i];
        const struct wtl_sweep_point *p = &curve->points[i];
        if (!(p->low_j < p->high_j) || !(s->time_low_s <= s->time_high_s))
            continue;
        wtl_plot_whisker_x(axes, panel, s->time_low_s, s->time_high_s, p->energy_j, &line);
        wtl_plot_whisker_y(axes, panel, s->time_s, p->low_j, p->high_j, &line);
    }
}

/* The front, from the fastest to the slowest. */
static void draw_front(const struct wtl_axes *axes,
                       const struct wtl_panel *panel,
                       const struct wtl_sweep *sweep,
                       const struct wtl_sweep_curve *curve)
{
    struct wtl_xy points[WTL_SWEEP_SETTINGS];
    size_t n = 0;
    for (size_t i = 0; i < sweep->setting_count; i++) {
        if (!curve->points[i].pareto)
            continue;
        struct wtl_xy at = {sweep->settings[i].time_s, curve->points[i].energy_j};
        size_t place = n++;
        for (; place > 0 && points[place - 1].x > at.x; place--)
            points[place] = points[place - 1];
        points[place] = at;
    }
    struct wtl_paint paint = {
        .stroke = WTL_INK_FAINT, .fill = WTL_NO_COLOR, .width = 0.8, .dash = WTL_DASHED};
    wtl_plot_line(axes, panel, points, n, &paint);
}

static void draw_points(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        const struct wtl_sweep *sweep,
                        const struct wtl_sweep_curve *curve,
                        const struct wtl_look looks[2])
{
    const struct wtl_sweep_goal *least = &curve->goals[0];
    struct wtl_xy points[WTL_SWEEP_SETTINGS];
    const char *texts[WTL_SWEEP_SETTINGS];
    for (size_t i = 0; i < sweep->setting_count; i++) {
        points[i] = (struct wtl_xy){sweep->settings[i].time_s, curve->points[i].energy_j};
        bool known = curve->goal_count > 0 && least->known, in = known && least->group.in[i];
        bool labelled = sweep->measured <= LABELLED || (known && i == least->group.best);
        texts[i] = labelled ? sweep->settings[i].label : NULL;
        if (!isnan(points[i].y))
            wtl_plot_markers(axes, panel, &points[i], 1, in ? 2.2 : 1.7, &looks[in]);
    }
    wtl_plot_point_labels(axes, panel, points, texts, sweep->setting_count);
}

static void write_caption(const struct wtl_sweep *sweep, size_t drawn, char *caption, size_t n)
{
    const struct wtl_sweep_curve *first = &sweep->curves[0];
    (void)snprintf(
        caption, n,
        "Energy against time of %s at %zu settings, geometric means of %zu block%s in random "
        "order%s. Dashed: the Pareto front. %s%s%s%s",
        sweep->command ? sweep->command : "a program", sweep->measured, first->blocks,
        first->blocks == 1 ? "" : "s",
        first->blocks > 1 ? "; boxes and whiskers are 95 % intervals (Student, run-to-run "
                            "variation of all settings)"
                          : "; without intervals: how much runs vary is unknown",
        first->goal_count > 0 ? "Squares: settings that cannot be told from the least energy (the "
                                "truly best is among them with 95 %). "
                              : "",
        first->simulated ? "The energy is simulated. " : "",
        first->quality == WATTLE_ESTIMATED ? "The energy is estimated. " : "",
        drawn > 1 ? "A partial sensor leaves out power that flows for as long as the program runs, "
                    "so its least energy leans to slow settings."
                  : "");
}

int wtl_sweep_figure_draw(const struct wtl_sweep *sweep,
                          enum wtl_picture picture,
                          FILE *out,
                          char *caption,
                          size_t n,
                          struct wattle_error *err)
{
    const struct wtl_sweep_curve *curves[PANELS];
    struct wtl_panel panels[PANELS] = {{.height = 0}};
    char labels[PANELS][160];
    size_t count = 0;
    for (size_t i = 0; i < sweep->curve_count && count < PANELS; i++) {
        if (sweep->curves[i].blocks == 0)
            continue;
        const struct wtl_sweep_curve *curve = curves[count] = &sweep->curves[i];
        (void)snprintf(labels[count], sizeof labels[count], "%s%s%s", curve->name,
                       curve->partial ? ", partial" : "",
                       curve->simulated                     ? ", simulated"
                       : curve->quality == WATTLE_ESTIMATED ? ", estimated"
                                                            : "");
        panels[count].y =
            (struct wtl_chart_axis){.label = labels[count], .unit = "J", .grid = true};
        range_of(sweep, curve, &panels[count].y);
        count++;
    }
    write_caption(sweep, count, caption, n);
    struct wtl_look looks[2] = {wtl_palette_look(0), wtl_palette_look(1)};
    looks[0].marker = WTL_MARKER_CIRCLE;
    looks[1].marker = WTL_MARKER_SQUARE;
    const struct wtl_legend legend[] = {
        {.label = "setting",
         .has_marker = true,
         .look = looks[0],
         .paint = {WTL_NO_COLOR, WTL_NO_COLOR, 0, 0, 0, 0}},
        {.label = "cannot be told from the least energy",
         .has_marker = true,
         .look = looks[1],
         .paint = {WTL_NO_COLOR, WTL_NO_COLOR, 0, 0, 0, 0}},
        {.label = "Pareto front",
         .paint = {
             .stroke = WTL_INK_FAINT, .fill = WTL_NO_COLOR, .width = 0.8, .dash = WTL_DASHED}}};
    struct wtl_axes axes = {.width = WIDTH_MM * WTL_PT_PER_MM,
                            .panels = panels,
                            .panel_count = count,
                            .x = {.kind = WTL_AXIS_TIME, .label = "Time"},
                            .legend = legend,
                            .legend_count = sizeof legend / sizeof *legend};
    times_of(sweep, &axes.x);
    axes.height =
        (double)count * PANEL_MM * WTL_PT_PER_MM + wtl_axes_frame_height(&axes, LEGEND_ROWS);
    struct wtl_sheet_size sheet = {.width = axes.width,
                                   .height = axes.height,
                                   .title = "energy against time",
                                   .desc = caption};
    int rc = wtl_canvas_open(picture, out, &sheet, &axes.canvas, err);
    if (rc < 0)
        return rc;
    wtl_axes_draw(&axes);
    for (size_t i = 0; i < count; i++) {
        draw_intervals(&axes, &panels[i], sweep, curves[i], looks[0]);
        draw_front(&axes, &panels[i], sweep, curves[i]);
        draw_points(&axes, &panels[i], sweep, curves[i], looks);
    }
    return wtl_canvas_close(axes.canvas, err);
}
