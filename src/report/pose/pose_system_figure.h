/* SPDX-License-Identifier: BSD-3-Clause */
/* The system summary as a figure: the power range of each machine, and what any code on it can gain at most. */
#ifndef WTL_REPORT_POSE_SYSTEM_FIGURE_H
#define WTL_REPORT_POSE_SYSTEM_FIGURE_H

#include "report/pose/pose_figure.h"

/* Draw a computed study with at least one machine. As wtl_pose_figure_draw(). */
int wtl_pose_system_figure_draw(const struct wtl_pose_study *study,
                                const struct wtl_pose_figure_options *options,
                                enum wtl_picture picture,
                                FILE *out,
                                char *caption,
                                size_t n,
                                struct wattle_error *err);

#endif
