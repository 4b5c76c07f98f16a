/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shapes of a POSE chart: bounds as polylines, regions as polygons, within a part of the plane
 * of run time (x) and energy (y). The figure and the page both draw these.
 */
#ifndef WTL_ANALYSIS_POSE_SHAPE_H
#define WTL_ANALYSIS_POSE_SHAPE_H

#include <stddef.h>

#include "analysis/pose/pose.h"

struct wtl_pose_window {
    double t_low, t_high; /* s */
    double e_low, e_high; /* J */
};

/* A vertex E at more than this many run times of the code is left out of windows. */
#define WTL_POSE_WINDOW_TIMES 10.0

/* A window with all vertices and codes of n models, plus a margin. Models whose E is far away or at
 * infinity are cut off. */
struct wtl_pose_window wtl_pose_window_of(const struct wtl_pose *poses, size_t n);

/* Widen it to include a point. */
void wtl_pose_window_include(struct wtl_pose_window *window, struct wtl_pose_point at);

enum wtl_pose_curve {
    WTL_POSE_CURVE_PMIN, /* the envelope's lower line */
    WTL_POSE_CURVE_PMAX,
    WTL_POSE_CURVE_OPTIMISATION_BOUND, /* B, theta, E */
    WTL_POSE_CURVE_CONTRIBUTION_BOUND, /* C, theta */
    WTL_POSE_CURVE_OPTIMISATION_LIMIT, /* A, C */
    WTL_POSE_CURVES
};
extern const char *const wtl_pose_curve_names[WTL_POSE_CURVES]; /* "optimisation_bound" */

struct wtl_pose_shape {
    struct wtl_pose_point *points; /* owned; freed by wtl_pose_shape_fini() */
    size_t count;                  /* 0 = nothing of it is within the window */
};
void wtl_pose_shape_fini(struct wtl_pose_shape *shape);

/* A curve between its ends (for the bounds: the vertices), clipped to the window, with enough
 * points to look smooth. 0 or -ENOMEM. */
int wtl_pose_shape_of_curve(const struct wtl_pose *pose,
                            const struct wtl_pose_metric *metric,
                            enum wtl_pose_curve curve,
                            const struct wtl_pose_window *window,
                            struct wtl_pose_shape *ret_shape);

/* A region as one polygon, without repeating the first point at the end, clipped to the window and
 * to the envelope. 0 or -ENOMEM. */
int wtl_pose_shape_of_region(const struct wtl_pose *pose,
                             const struct wtl_pose_metric *metric,
                             enum wtl_pose_region region,
                             const struct wtl_pose_window *window,
                             struct wtl_pose_shape *ret_shape);

#endif
