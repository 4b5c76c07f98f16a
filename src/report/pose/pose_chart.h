/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One chart of a POSE model: run time to the right, energy upwards; the envelope, the bounds, the regions, the
 * vertices, and the candidates of the first code. Several metrics of a code lie above each other, each in
 * its colour; regions are shaded for a single one.
 */
#ifndef WTL_REPORT_POSE_CHART_H
#define WTL_REPORT_POSE_CHART_H

#include "analysis/pose/pose_shape.h"
#include "analysis/pose/pose_study.h"
#include "plot/axes.h"
#include "report/pose/pose_labels.h"
#include "report/pose/pose_looks.h"

/* What it should show: all vertices, the code with its bars (of very long ones a part), and the candidates if they are
 * this subject's. */
struct wtl_pose_window wtl_pose_chart_window(const struct wtl_pose_study *study,
                                             size_t subject,
                                             size_t metric,
                                             size_t metric_count);

/* Number of versions on the Pareto front, including the code; a single one needs no line. */
size_t wtl_pose_chart_front(const struct wtl_pose_study *study);

/* Half widths of the 95 % intervals of the code's mean run time and energy, NaN = unknown: true when one is known. */
bool wtl_pose_chart_doubt(const struct wtl_pose_doubt *doubt, double *ret_t_s, double *ret_e_j);

/* The canvas reports failures. */
/* "Energy", or "Energy, simulated" where it is that (in buf). */
const char *wtl_pose_what(const struct wtl_pose_subject *subject,
                          const char *what,
                          char *buf,
                          size_t n);

void wtl_pose_chart_draw(struct wtl_canvas *canvas, const struct wtl_pose_chart *chart);

#endif
