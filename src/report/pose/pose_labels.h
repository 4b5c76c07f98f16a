/* SPDX-License-Identifier: BSD-3-Clause */
/* The labels of a POSE chart: vertices, regions, lines of the envelope, candidates; placed last,
 * where they hide the least. */
#ifndef WTL_REPORT_POSE_LABELS_H
#define WTL_REPORT_POSE_LABELS_H

#include "analysis/pose/pose_shape.h"
#include "analysis/pose/pose_study.h"
#include "plot/axes.h"
#include "plot/label_place.h"

/* A chart (pose_chart.h): what it shows, and where. */
struct wtl_pose_chart {
    const struct wtl_pose_study *study;
    size_t subject;
    size_t metric, metric_count; /* the first, and how many from there */
    struct wtl_pose_window window;
    double left, top, width, height; /* its place, in points */
    const char *title;               /* NULL = none */
    bool inset; /* within another chart: without numbers, names of the envelope and candidates */
};

/* A polygon on the sheet. */
struct wtl_pose_area {
    struct wtl_xy *points;
    size_t count;
};

/* A marked point: vertex 0 .. 4, or WTL_POSE_VERTICES for the code. */
struct wtl_pose_mark {
    struct wtl_xy at; /* on the sheet */
    int letter;
    size_t metric;
    size_t cluster; /* of those that share a label */
};

/* A chart while it is drawn. */
struct wtl_pose_scene {
    const struct wtl_pose_chart *chart;
    const struct wtl_axes *axes;
    const struct wtl_panel *panel;
    struct wtl_label_field field;
    struct wtl_pose_area regions[WTL_POSE_DEGRADATION + 1]; /* points owned */
    struct wtl_xy envelope[2][2];                           /* Pmin, Pmax: ends on the sheet */
    bool has_inset;              /* C, D, E and narrow regions are labelled there */
    struct wtl_pose_mark *marks; /* owned */
    size_t mark_count;
};

const struct wtl_pose *wtl_pose_scene_pose(const struct wtl_pose_scene *scene, size_t metric);

/* From the units of the axes to the sheet. */
void wtl_pose_scene_place(const struct wtl_pose_scene *scene, struct wtl_xy *points, size_t n);

/* Draw the candidates. */
void wtl_pose_scene_candidates(struct wtl_pose_scene *scene);

/* Add a point to be labelled with its letter. */
void wtl_pose_scene_mark(struct wtl_pose_scene *scene,
                         struct wtl_pose_point at,
                         int letter,
                         size_t metric);

/* Draw the letters; then all other names. Call after wtl_pose_scene_inset(). */
void wtl_pose_scene_letters(struct wtl_pose_scene *scene);
void wtl_pose_scene_names(struct wtl_pose_scene *scene, bool candidates);

/*
 * If code, C, D and E are so close that they hide each other: a window that separates them, and a
 * free place in the chart for it. False if not needed, or if there is no room.
 */
bool wtl_pose_scene_inset(struct wtl_pose_scene *scene, struct wtl_pose_chart *ret_inset);

#endif
