/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a POSE study: envelope, bounds, regions, vertices, codes and candidates; below it the
 * power over time of codes that come from traces. */
#ifndef WTL_REPORT_POSE_FIGURE_H
#define WTL_REPORT_POSE_FIGURE_H

#include <stdio.h>

#include "analysis/pose/pose_study.h"
#include "plot/canvas.h"

enum wtl_pose_layout {
    WTL_POSE_OVERLAID = 0,    /* all metrics of a code in one chart */
    WTL_POSE_SIDE_BY_SIDE = 1 /* a chart for each code and metric */
};

struct wtl_pose_figure_options {
    enum wtl_pose_layout layout;
    double width_mm,
        height_mm;     /* 0 = 85, a column (more where charts stand side by side); what it needs */
    double dpi;        /* of a PNG; 0 = 300 */
    const char *title; /* NULL = none */
    bool no_power;     /* do not draw the power over time */
};

/* Draw a computed study. caption (n bytes) gets the caption. Returns 0; -ENODATA: a study without a code;
 * -E2BIG: more codes than fit; the errors of wtl_canvas_open() or the reader; -ENOMEM. */
int wtl_pose_figure_draw(const struct wtl_pose_study *study,
                         const struct wtl_pose_figure_options *options,
                         enum wtl_picture picture,
                         FILE *out,
                         char *caption,
                         size_t n,
                         struct wattle_error *err);

#endif
