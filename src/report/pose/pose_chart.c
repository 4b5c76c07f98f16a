/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawn from back to front: regions, lines, markers; then labels, which avoid all of these. */
#include "report/pose/pose_chart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/figures.h"
#include "model/quality.h"
#include "model/statistics/student.h"
#include "plot/canvas_back.h"
#include "plot/plot.h"
#include "report/pose/pose_labels.h"

#define THETA_PT  2.1
#define VERTEX_PT 1.6
#define BAR_ROOM  0.5 /* of the window, by which bars may widen it; longer ones are cut off */

/* ---- what is shown ---- */

bool wtl_pose_chart_doubt(const struct wtl_pose_doubt *doubt, double *ret_t_s, double *ret_e_j)
{
    double runs = (double)doubt->runs, factor = (double)NAN;
    double ticks = isfinite(doubt->e_resolution_j) ? doubt->e_resolution_j : 0;
    if (doubt->runs >= 3)
        factor = wtl_student_quantile(0.975, runs - 1) / sqrt(runs);
    *ret_t_s = factor * doubt->t_sd_s;
    *ret_e_j = isfinite(doubt->e_sd_j) && doubt->runs >= 3 ? hypot(factor * doubt->e_sd_j, ticks)
                                                           : doubt->e_resolution_j;
    return isfinite(*ret_t_s) || isfinite(*ret_e_j);
}

/* The ends of the bars at the code, in time and in energy; NaN = unknown. False: both are. */
static bool bars_of(const struct wtl_pose_subject *subject, struct wtl_pose_point ends[4])
{
    const struct wtl_pose_doubt *doubt = &subject->doubt;
    struct wtl_pose_point at = {subject->code.t_s, subject->code.e_j};
    double t, e;
    bool known = wtl_pose_chart_doubt(doubt, &t, &e);
    double below = e, above = e;
    if (isfinite(e) && isfinite(doubt->e_low_j) && isfinite(doubt->e_high_j)) { /* lopsided */
        double runs = sqrt(fmax(e * e - doubt->e_resolution_j * doubt->e_resolution_j, 0));
        below = hypot(runs, at.e_j - doubt->e_low_j);
        above = hypot(runs, doubt->e_high_j - at.e_j);
    }
    ends[0] = (struct wtl_pose_point){at.t_s - t, at.e_j};
    ends[1] = (struct wtl_pose_point){at.t_s + t, at.e_j};
    ends[2] = (struct wtl_pose_point){at.t_s, at.e_j - below};
    ends[3] = (struct wtl_pose_point){at.t_s, at.e_j + above};
    return known;
}

static double between(double low, double value, double high)
{
    return isnan(value) ? value : fmax(low, fmin(value, high));
}

static void include_bars(struct wtl_pose_window *window, const struct wtl_pose_subject *subject)
{
    struct wtl_pose_window own = *window;
    struct wtl_pose_point ends[4];
    double t_room = BAR_ROOM * (own.t_high - own.t_low);
    double e_room = BAR_ROOM * (own.e_high - own.e_low);
    if (!bars_of(subject, ends))
        return;
    for (int i = 0; i < 4; i++) {
        struct wtl_pose_point end = {
            between(fmax(own.t_low - t_room, 0), ends[i].t_s, own.t_high + t_room),
            between(fmax(own.e_low - e_room, 0), ends[i].e_j, own.e_high + e_room)};
        wtl_pose_window_include(window, end);
    }
}

struct wtl_pose_window wtl_pose_chart_window(const struct wtl_pose_study *study,
                                             size_t subject,
                                             size_t metric,
                                             size_t metric_count)
{
    struct wtl_pose_window window = {0};
    for (size_t m = metric; m < metric + metric_count; m++) {
        const struct wtl_pose *pose = &wtl_pose_study_model(study, subject, m)->pose;
        struct wtl_pose_window own = wtl_pose_window_of(pose, 1);
        if (m == metric)
            window = own;
        window.t_low = fmin(window.t_low, own.t_low);
        window.t_high = fmax(window.t_high, own.t_high);
        window.e_low = fmin(window.e_low, own.e_low);
        window.e_high = fmax(window.e_high, own.e_high);
    }
    for (size_t i = 0; subject == 0 && i < study->candidate_count; i++)
        wtl_pose_window_include(&window, study->candidates[i].at);
    include_bars(&window, &study->subjects[subject]);
    /* Names are below and to the right of the lower line. */
    window.t_high += 0.03 * (window.t_high - window.t_low);
    window.e_low = fmax(window.e_low - 0.06 * (window.e_high - window.e_low), 0);
    return window;
}

/* The points of a shape in the units of the axes; freed by the caller. NULL: nothing, or no memory. */
static struct wtl_xy *points_of(struct wtl_canvas *canvas, struct wtl_pose_shape *shape)
{
    struct wtl_xy *points = shape->count ? malloc(shape->count * sizeof *points) : NULL;
    if (!points && shape->count)
        canvas->failed = -ENOMEM;
    for (size_t i = 0; points && i < shape->count; i++)
        points[i] = (struct wtl_xy){shape->points[i].t_s, shape->points[i].e_j};
    wtl_pose_shape_fini(shape);
    return points;
}

/* ---- regions and lines ---- */

static void draw_region(struct wtl_pose_scene *scene, enum wtl_pose_region region)
{
    struct wtl_canvas *canvas = scene->axes->canvas;
    const struct wtl_pose_chart *chart = scene->chart;
    struct wtl_pose_shape shape = {0};
    struct wtl_paint paint = wtl_pose_region_paint(region);
    struct wtl_paint below = {.stroke = WTL_NO_COLOR, .fill = wtl_pose_region_below(region)};
    char name[16];
    int rc = wtl_pose_shape_of_region(wtl_pose_scene_pose(scene, 0),
                                      &chart->study->metrics[chart->metric], region, &chart->window,
                                      &shape);
    if (rc < 0)
        canvas->failed = rc;
    size_t n = shape.count;
    struct wtl_xy *points = points_of(canvas, &shape);
    if (!points)
        return;
    (void)snprintf(name, sizeof name, "region %d", (int)region);
    wtl_canvas_group_titled(canvas, name, wtl_pose_region_titles[region]);
    if (below.fill)
        wtl_plot_area(scene->axes, scene->panel, points, n, &below);
    wtl_plot_area(scene->axes, scene->panel, points, n, &paint);
    wtl_canvas_group_end(canvas);
    wtl_pose_scene_place(scene, points, n);
    scene->regions[region] = (struct wtl_pose_area){points, n};
}

static void draw_curve(struct wtl_pose_scene *scene, size_t m, enum wtl_pose_curve curve)
{
    struct wtl_canvas *canvas = scene->axes->canvas;
    const struct wtl_pose_chart *chart = scene->chart;
    const char *metric = chart->study->metric_names[chart->metric + m];
    bool envelope = curve == WTL_POSE_CURVE_PMIN || curve == WTL_POSE_CURVE_PMAX;
    bool overlaid = chart->metric_count > 1 && !envelope;
    struct wtl_paint paint =
        wtl_pose_curve_paint(curve, overlaid ? wtl_palette_look(m).color : WTL_NO_COLOR);
    struct wtl_pose_shape shape = {0};
    char name[160];
    int rc = wtl_pose_shape_of_curve(wtl_pose_scene_pose(scene, m),
                                     &chart->study->metrics[chart->metric + m], curve,
                                     &chart->window, &shape);
    if (rc < 0)
        canvas->failed = rc;
    size_t n = shape.count;
    struct wtl_xy *points = points_of(canvas, &shape);
    if (!points)
        return;
    (void)snprintf(name, sizeof name, "%s%s%.80s", wtl_pose_curve_titles[curve],
                   envelope ? "" : ", ", envelope ? "" : metric);
    wtl_canvas_group_titled(canvas, name, name);
    wtl_plot_line(scene->axes, scene->panel, points, n, &paint);
    wtl_canvas_group_end(canvas);
    wtl_pose_scene_place(scene, points, n);
    wtl_label_avoid_line(&scene->field, points, n, 0.6);
    if (envelope) {
        struct wtl_xy *line = scene->envelope[curve == WTL_POSE_CURVE_PMAX];
        line[0] = points[0];
        line[1] = points[n - 1];
    }
    free(points);
}

/* From the code down to D: the same run time with less power. */
static void draw_drop(struct wtl_pose_scene *scene)
{
    const struct wtl_pose *pose = wtl_pose_scene_pose(scene, 0);
    struct wtl_paint paint = {
        .stroke = WTL_INK_FAINT, .fill = WTL_NO_COLOR, .width = 0.5, .dash = WTL_DOTTED};
    struct wtl_xy line[] = {{pose->code.t_s, pose->code.e_j},
                            {pose->vertices[WTL_POSE_D].t_s, pose->vertices[WTL_POSE_D].e_j}};
    wtl_plot_line(scene->axes, scene->panel, line, 2, &paint);
    wtl_pose_scene_place(scene, line, 2);
    wtl_label_avoid_line(&scene->field, line, 2, 0.3);
}

/* ---- vertices ---- */

static void draw_dot(struct wtl_pose_scene *scene,
                     struct wtl_pose_point point,
                     double radius,
                     const struct wtl_paint *paint)
{
    struct wtl_xy at = {point.t_s, point.e_j};
    wtl_pose_scene_place(scene, &at, 1);
    wtl_canvas_circle(scene->axes->canvas, at.x, at.y, radius, paint);
    wtl_label_avoid_box(&scene->field, at.x, at.y, radius, radius, 12);
}

static bool is_shown(const struct wtl_pose_scene *scene, struct wtl_pose_point at)
{
    const struct wtl_pose_window *w = &scene->chart->window;
    return at.t_s >= w->t_low && at.t_s <= w->t_high && at.e_j >= w->e_low && at.e_j <= w->e_high;
}

static void draw_vertices(struct wtl_pose_scene *scene, size_t m)
{
    static const char *const means[WTL_POSE_VERTICES] = {
        [WTL_POSE_A] = "faster versions beat all power optimisation",
        [WTL_POSE_B] = "faster versions beat the code",
        [WTL_POSE_C] = "the best possible power optimisation",
        [WTL_POSE_D] = "run time of the code at minimum power",
        [WTL_POSE_E] = "slower versions cannot beat the code",
    };
    const struct wtl_pose_chart *chart = scene->chart;
    const char *metric = chart->study->metric_names[chart->metric + m];
    const struct wtl_pose_code *code = &wtl_pose_scene_pose(scene, m)->code;
    struct wtl_paint paint = {.fill = 0xffffff, .width = 0.8};
    char name[160], title[320];
    paint.stroke = chart->metric_count > 1 ? wtl_palette_look(m).color : WTL_INK;
    for (int v = 0; v < WTL_POSE_VERTICES; v++) {
        struct wtl_pose_point at = wtl_pose_scene_pose(scene, m)->vertices[v];
        if (!is_shown(scene, at) || (v == WTL_POSE_D && m > 0))
            continue;
        if (v == WTL_POSE_D)
            paint.stroke = WTL_INK; /* the same under every metric */
        (void)snprintf(name, sizeof name, "vertex %c, %.80s", 'A' + v, metric);
        (void)snprintf(title, sizeof title, "%c (%.80s): %.6g s, %.6g J, %s W; %s", 'A' + v, metric,
                       at.t_s, at.e_j,
                       WTL_IN_FIGURES(v <= WTL_POSE_B ? code->pmax_w : code->pmin_w, 5), means[v]);
        wtl_canvas_group_titled(scene->axes->canvas, name, title);
        draw_dot(scene, at, VERTEX_PT, &paint);
        wtl_canvas_group_end(scene->axes->canvas);
        wtl_pose_scene_mark(scene, at, v, m);
        paint.stroke = chart->metric_count > 1 ? wtl_palette_look(m).color : WTL_INK;
    }
}

/* Bars for the uncertainty of the code; usually smaller than its marker. */
static void draw_doubt(struct wtl_pose_scene *scene)
{
    const struct wtl_pose_code *code = &wtl_pose_scene_pose(scene, 0)->code;
    struct wtl_paint paint = {.stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.6};
    struct wtl_pose_point ends[4];
    if (!bars_of(&scene->chart->study->subjects[scene->chart->subject], ends))
        return;
    struct wtl_xy across[] = {{ends[0].t_s, code->e_j}, {ends[1].t_s, code->e_j}};
    struct wtl_xy down[] = {{code->t_s, ends[2].e_j}, {code->t_s, ends[3].e_j}};
    if (isfinite(across[0].x))
        wtl_plot_whisker_x(scene->axes, scene->panel, across[0].x, across[1].x, code->e_j, &paint);
    if (isfinite(down[0].y))
        wtl_plot_whisker_y(scene->axes, scene->panel, code->t_s, down[0].y, down[1].y, &paint);
    wtl_pose_scene_place(scene, across, 2);
    wtl_pose_scene_place(scene, down, 2);
    wtl_label_avoid_line(&scene->field, across, 2, 0.6);
    wtl_label_avoid_line(&scene->field, down, 2, 0.6);
}

static void draw_theta(struct wtl_pose_scene *scene)
{
    const struct wtl_pose *pose = wtl_pose_scene_pose(scene, 0);
    const char *label = scene->chart->study->subjects[scene->chart->subject].label;
    struct wtl_paint paint = {.stroke = 0xffffff, .fill = WTL_INK, .width = 0.4};
    struct wtl_pose_point at = {pose->code.t_s, pose->code.e_j};
    char title[320];
    (void)snprintf(title, sizeof title, "%.120s: %.6g s, %.6g J, %s W%s", label ? label : "code",
                   at.t_s, at.e_j, WTL_IN_FIGURES(pose->p_w, 5),
                   pose->warnings & WTL_POSE_BELOW_FLOOR     ? "; below minimum power"
                   : pose->warnings & WTL_POSE_ABOVE_CEILING ? "; above maximum power"
                                                             : "");
    wtl_canvas_group_titled(scene->axes->canvas, "theta", title);
    draw_doubt(scene);
    draw_dot(scene, at, THETA_PT, &paint);
    wtl_canvas_group_end(scene->axes->canvas);
    wtl_pose_scene_mark(scene, at, WTL_POSE_VERTICES, 0);
}

/* ---- all ---- */

static void draw_in(const struct wtl_pose_chart *chart, struct wtl_axes *axes);

/* An enlarged copy of points that overlap, with a frame around both. */
static void draw_inset(struct wtl_pose_scene *scene)
{
    struct wtl_canvas *canvas = scene->axes->canvas;
    struct wtl_pose_chart inset;
    struct wtl_paint frame = {.stroke = WTL_INK_FAINT, .fill = WTL_NO_COLOR, .width = 0.5};
    struct wtl_paint blank = {.stroke = WTL_INK_FAINT, .fill = 0xffffff, .width = 0.5};
    if (scene->chart->inset || !wtl_pose_scene_inset(scene, &inset))
        return;
    scene->has_inset = true;
    const struct wtl_pose_window *w = &inset.window;
    struct wtl_xy zoomed[] = {{w->t_low, w->e_low}, {w->t_high, w->e_high}};
    struct wtl_panel panel = {.y = {.low = w->e_low, .high = w->e_high, .bare = true},
                              .top = inset.top,
                              .bottom = inset.top + inset.height};
    struct wtl_axes axes = {.canvas = canvas,
                            .panels = &panel,
                            .panel_count = 1,
                            .x = {.low = w->t_low, .high = w->t_high, .bare = true},
                            .x0 = inset.left,
                            .x1 = inset.left + inset.width};
    panel.y.ticks = (struct wtl_ticks){.low = w->e_low, .high = w->e_high};
    axes.x.ticks = (struct wtl_ticks){.low = w->t_low, .high = w->t_high};
    wtl_pose_scene_place(scene, zoomed, 2);
    wtl_canvas_group_titled(canvas, "enlarged", "detail around the code");
    wtl_canvas_rectangle(canvas, zoomed[0].x, zoomed[0].y, zoomed[1].x - zoomed[0].x,
                         zoomed[1].y - zoomed[0].y, &frame);
    wtl_canvas_line(canvas, zoomed[1].x, zoomed[1].y, inset.left + inset.width,
                    inset.top + inset.height, &frame);
    wtl_canvas_line(canvas, zoomed[0].x, zoomed[1].y, inset.left, inset.top + inset.height, &frame);
    wtl_canvas_rectangle(canvas, inset.left, inset.top, inset.width, inset.height, &blank);
    draw_in(&inset, &axes);
    wtl_canvas_rectangle(canvas, inset.left, inset.top, inset.width, inset.height, &frame);
    wtl_canvas_group_end(canvas);
}

static void draw_scene(struct wtl_pose_scene *scene)
{
    const struct wtl_pose_chart *chart = scene->chart;
    bool candidates = chart->subject == 0 && chart->study->candidate_count > 0 && !chart->inset;
    for (int r = WTL_POSE_DEGRADATION; chart->metric_count == 1 && r >= 1; r--)
        draw_region(scene, (enum wtl_pose_region)r);
    for (size_t m = 0; m < chart->metric_count; m++) {
        for (int c = WTL_POSE_CURVE_OPTIMISATION_BOUND; c < WTL_POSE_CURVES; c++)
            draw_curve(scene, m, (enum wtl_pose_curve)c);
    }
    draw_curve(scene, 0, WTL_POSE_CURVE_PMIN);
    draw_curve(scene, 0, WTL_POSE_CURVE_PMAX);
    draw_drop(scene);
    if (candidates)
        wtl_pose_scene_candidates(scene);
    for (size_t m = 0; m < chart->metric_count; m++)
        draw_vertices(scene, m);
    draw_theta(scene);
    draw_inset(scene);
    wtl_pose_scene_letters(scene);
    wtl_pose_scene_names(scene, candidates);
}

static void draw_in(const struct wtl_pose_chart *chart, struct wtl_axes *axes)
{
    size_t room = chart->metric_count * (WTL_POSE_VERTICES + 1) + 1;
    struct wtl_pose_scene scene = {.chart = chart,
                                   .axes = axes,
                                   .panel = axes->panels,
                                   .marks = calloc(room, sizeof *scene.marks),
                                   .field = {.canvas = axes->canvas,
                                             .x0 = axes->x0 + 1,
                                             .y0 = axes->panels->top + 1,
                                             .x1 = axes->x1,
                                             .y1 = axes->panels->bottom - 0.5}};
    if (scene.marks)
        draw_scene(&scene);
    else
        axes->canvas->failed = -ENOMEM;
    for (int r = 0; r <= WTL_POSE_DEGRADATION; r++)
        free(scene.regions[r].points);
    wtl_label_field_fini(&scene.field);
    free(scene.marks);
}

const char *wtl_pose_what(const struct wtl_pose_subject *subject,
                          const char *what,
                          char *buf,
                          size_t n)
{
    if (subject->quality == WATTLE_MEASURED && !subject->simulated)
        return what;
    (void)snprintf(buf, n, "%s, %s", what, wtl_quality_word(subject->quality, subject->simulated));
    return buf;
}

void wtl_pose_chart_draw(struct wtl_canvas *canvas, const struct wtl_pose_chart *chart)
{
    const struct wtl_pose_window *w = &chart->window;
    char energy[40];
    struct wtl_panel panel = {.y = {.label = wtl_pose_what(&chart->study->subjects[chart->subject],
                                                           "Energy", energy, sizeof energy),
                                    .unit = "J",
                                    .low = w->e_low,
                                    .high = w->e_high}};
    struct wtl_axes axes = {.canvas = canvas,
                            .left = chart->left,
                            .top = chart->top,
                            .width = chart->width,
                            .height = chart->height,
                            .title = chart->title,
                            .panels = &panel,
                            .panel_count = 1,
                            /* Seconds, as in the paper; but hours for run times of hours. */
                            .x = {.kind = w->t_high < 10000 ? WTL_AXIS_NUMBERS : WTL_AXIS_TIME,
                                  .label = "Run time",
                                  .unit = "s",
                                  .low = w->t_low,
                                  .high = w->t_high}};
    wtl_axes_draw(&axes);
    draw_in(chart, &axes);
}
