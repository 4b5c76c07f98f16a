/* SPDX-License-Identifier: BSD-3-Clause */
/* How the parts of a POSE chart look, and what they are called. */
#ifndef WTL_REPORT_POSE_LOOKS_H
#define WTL_REPORT_POSE_LOOKS_H

#include "analysis/pose/pose_shape.h"
#include "analysis/pose/pose_study.h"
#include "plot/palette.h"

/* For the legend: the hatch of a region, and the colour below it (of both, one may be 0: none). */
struct wtl_paint wtl_pose_region_paint(enum wtl_pose_region region);
uint32_t wtl_pose_region_below(enum wtl_pose_region region);
struct wtl_look wtl_pose_region_look(enum wtl_pose_region region);
/* color: of the metric; WTL_NO_COLOR: the curve's own. */
struct wtl_paint wtl_pose_curve_paint(enum wtl_pose_curve curve, uint32_t color);
struct wtl_paint wtl_pose_front_paint(void);
struct wtl_paint wtl_pose_path_paint(void);

/* "strong run-time optimisation", "optimisation bound": by their enums. */
extern const char *const wtl_pose_region_titles[WTL_POSE_DEGRADATION + 1];
extern const char *const wtl_pose_curve_titles[WTL_POSE_CURVES];

#endif
