/* SPDX-License-Identifier: BSD-3-Clause */
/* Other versions of the code in a POSE chart: markers by their regions, a path along the parameter, the Pareto front. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/figures.h"
#include "base/whole.h"
#include "plot/canvas_back.h"
#include "plot/plot.h"
#include "report/pose/pose_chart.h"

#define MARKER_PT 2.2

struct stop {
    double parameter;
    struct wtl_xy at;
};

static int by_parameter(const void *a, const void *b)
{
    const struct stop *x = a, *y = b;
    return (x->parameter > y->parameter) - (x->parameter < y->parameter);
}

static int by_time(const void *a, const void *b)
{
    const struct wtl_xy *x = a, *y = b;
    if (x->x != y->x)
        return x->x > y->x ? 1 : -1;
    return (x->y < y->y) - (x->y > y->y);
}

/* A line from each to the next larger parameter. */
static void draw_path(struct wtl_pose_scene *scene)
{
    const struct wtl_pose_study *study = scene->chart->study;
    size_t n = 0, most = study->candidate_count;
    struct wtl_paint paint = wtl_pose_path_paint();
    struct stop *stops = calloc(most, sizeof *stops);
    struct wtl_xy *points = calloc(most, sizeof *points);
    if (!stops || !points)
        scene->axes->canvas->failed = -ENOMEM;
    for (size_t i = 0; stops && i < most; i++) {
        const struct wtl_pose_candidate *candidate = &study->candidates[i];
        if (isfinite(candidate->parameter))
            stops[n++] =
                (struct stop){candidate->parameter, {candidate->at.t_s, candidate->at.e_j}};
    }
    if (stops && points && n > 1) {
        wtl_sort(stops, n, sizeof *stops, by_parameter);
        for (size_t i = 0; i < n; i++)
            points[i] = stops[i].at;
        wtl_canvas_group(scene->axes->canvas, "path along the parameter");
        wtl_plot_line(scene->axes, scene->panel, points, n, &paint);
        wtl_canvas_group_end(scene->axes->canvas);
        wtl_pose_scene_place(scene, points, n);
        wtl_label_avoid_line(&scene->field, points, n, 0.3);
    }
    free(stops);
    free(points);
}

size_t wtl_pose_chart_front(const struct wtl_pose_study *study)
{
    size_t n = study->code_on_front ? 1 : 0;
    for (size_t i = 0; i < study->candidate_count; i++)
        n += study->candidates[i].on_front ? 1 : 0;
    return n;
}

/* The versions that no other beats in both time and energy, as steps, since nothing is known
 * between two of them. */
static void draw_front(struct wtl_pose_scene *scene)
{
    const struct wtl_pose_study *study = scene->chart->study;
    const struct wtl_pose_code *code = &wtl_pose_scene_pose(scene, 0)->code;
    struct wtl_paint paint = wtl_pose_front_paint();
    struct wtl_xy *front = calloc(2 * (study->candidate_count + 1), sizeof *front);
    size_t n = 0;
    if (!front) {
        scene->axes->canvas->failed = -ENOMEM;
        return;
    }
    if (study->code_on_front)
        front[n++] = (struct wtl_xy){code->t_s, code->e_j};
    for (size_t i = 0; i < study->candidate_count; i++)
        if (study->candidates[i].on_front)
            front[n++] = (struct wtl_xy){study->candidates[i].at.t_s, study->candidates[i].at.e_j};
    wtl_sort(front, n, sizeof *front, by_time);
    for (size_t i = n; i-- > 1;) {
        front[2 * i] = front[i];
        front[2 * i - 1] = (struct wtl_xy){front[i].x, front[i - 1].y};
    }
    if (n > 1) {
        wtl_canvas_group_titled(scene->axes->canvas, "Pareto front",
                                "Pareto front: no version is better in run time and energy");
        wtl_plot_line(scene->axes, scene->panel, front, 2 * n - 1, &paint);
        wtl_canvas_group_end(scene->axes->canvas);
        wtl_pose_scene_place(scene, front, 2 * n - 1);
        wtl_label_avoid_line(&scene->field, front, 2 * n - 1, 0.3);
    }
    free(front);
}

static void draw_markers(struct wtl_pose_scene *scene)
{
    const struct wtl_pose_study *study = scene->chart->study;
    const struct wtl_pose_model *model = wtl_pose_study_model(study, 0, scene->chart->metric);
    struct wtl_canvas *canvas = scene->axes->canvas;
    char name[160], title[320];
    for (size_t i = 0; i < study->candidate_count; i++) {
        const struct wtl_pose_candidate *candidate = &study->candidates[i];
        const struct wtl_pose_verdict *verdict = &model->verdicts[i];
        struct wtl_look look = wtl_pose_region_look(verdict->region);
        struct wtl_xy at = {candidate->at.t_s, candidate->at.e_j};
        (void)snprintf(name, sizeof name, "candidate %.120s", candidate->label);
        (void)snprintf(title, sizeof title, "%.120s: %.6g s, %.6g J, %s W; %s, gain %.3f",
                       candidate->label, at.x, at.y, WTL_IN_FIGURES(at.y / at.x, 5),
                       wtl_pose_region_titles[verdict->region], verdict->gain);
        wtl_canvas_group_titled(canvas, name, title);
        wtl_plot_markers(scene->axes, scene->panel, &at, 1, MARKER_PT, &look);
        wtl_canvas_group_end(canvas);
        wtl_pose_scene_place(scene, &at, 1);
        wtl_label_avoid_box(&scene->field, at.x, at.y, MARKER_PT, MARKER_PT, 12);
    }
}

void wtl_pose_scene_candidates(struct wtl_pose_scene *scene)
{
    draw_path(scene);
    draw_front(scene);
    draw_markers(scene);
}
