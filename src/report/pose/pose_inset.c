/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If a code has little scope, C, D and E overlap it, while the chart must extend to A and B. Then
 * its surroundings are drawn again, enlarged, where the chart is empty, mostly in region 4.
 */
#include <math.h>

#include "report/pose/pose_labels.h"

enum { GRID = 28 };
#define CROWDED_PT 16.0 /* points closer than this in both directions hide each other */
#define APART_PT   0.35 /* but points closer than this cannot be separated by any enlargement */
#define SHARE_X    0.40 /* of the chart */
#define SHARE_Y    0.38
#define ROOM       0.45 /* parts of the span around the points */

/* The contents of the enlargement: the code, and C, D and E of all metrics. */
static struct wtl_pose_window crowd_of(const struct wtl_pose_scene *scene)
{
    const struct wtl_pose *pose = wtl_pose_scene_pose(scene, 0);
    struct wtl_pose_window crowd = {pose->code.t_s, pose->code.t_s, pose->code.e_j, pose->code.e_j};
    for (size_t m = 0; m < scene->chart->metric_count; m++) {
        for (int v = WTL_POSE_C; v <= WTL_POSE_E; v++) {
            struct wtl_pose_point at = wtl_pose_scene_pose(scene, m)->vertices[v];
            crowd.t_low = fmin(crowd.t_low, at.t_s);
            crowd.t_high = fmax(crowd.t_high, at.t_s);
            crowd.e_low = fmin(crowd.e_low, at.e_j);
            crowd.e_high = fmax(crowd.e_high, at.e_j);
        }
    }
    return crowd;
}

static bool is_crowded(const struct wtl_pose_scene *scene, const struct wtl_pose_window *crowd)
{
    double width = wtl_axes_x(scene->axes, crowd->t_high) - wtl_axes_x(scene->axes, crowd->t_low);
    double height =
        wtl_axes_y(scene->panel, crowd->e_low) - wtl_axes_y(scene->panel, crowd->e_high);
    return width < CROWDED_PT && height < CROWDED_PT && width > APART_PT && height > APART_PT;
}

/* The free place nearest to the points, but not so near that the frames touch. */
static bool find_place(const struct wtl_pose_scene *scene,
                       struct wtl_xy crowd,
                       struct wtl_pose_chart *inset)
{
    const struct wtl_label_field *field = &scene->field;
    double half_width = SHARE_X * (field->x1 - field->x0) / 2;
    double half_height = SHARE_Y * (field->y1 - field->y0) / 2, nearest = INFINITY;
    for (int i = 0; i < GRID * GRID; i++) {
        int column = i % GRID, row = i / GRID;
        double x = field->x0 + (column + 0.5) / GRID * (field->x1 - field->x0);
        double y = field->y0 + (row + 0.5) / GRID * (field->y1 - field->y0);
        double distance = hypot(x - crowd.x, y - crowd.y);
        /* Above it, so that the lines from frame to frame cross nothing. */
        bool apart = y + half_height < crowd.y - CROWDED_PT;
        if (!apart || distance >= nearest ||
            wtl_label_cost(field, x, y, half_width + 3, half_height + 3) > 0)
            continue;
        nearest = distance;
        inset->left = x - half_width;
        inset->top = y - half_height;
        inset->width = 2 * half_width;
        inset->height = 2 * half_height;
    }
    return isfinite(nearest);
}

bool wtl_pose_scene_inset(struct wtl_pose_scene *scene, struct wtl_pose_chart *ret_inset)
{
    struct wtl_pose_window crowd = crowd_of(scene);
    struct wtl_pose_chart inset = *scene->chart;
    struct wtl_xy middle = {wtl_axes_x(scene->axes, (crowd.t_low + crowd.t_high) / 2),
                            wtl_axes_y(scene->panel, (crowd.e_low + crowd.e_high) / 2)};
    double t_room = ROOM * (crowd.t_high - crowd.t_low);
    double e_room = ROOM * (crowd.e_high - crowd.e_low);
    if (!is_crowded(scene, &crowd) || !find_place(scene, middle, &inset))
        return false;
    inset.inset = true;
    inset.title = NULL;
    inset.window = (struct wtl_pose_window){crowd.t_low - t_room, crowd.t_high + t_room,
                                            crowd.e_low - e_room, crowd.e_high + e_room};
    wtl_label_avoid_box(&scene->field, inset.left + inset.width / 2, inset.top + inset.height / 2,
                        inset.width / 2 + 1, inset.height / 2 + 1, 100);
    *ret_inset = inset;
    return true;
}
