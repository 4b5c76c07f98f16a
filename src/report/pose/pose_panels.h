/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands below the charts of a POSE study: gain over the parameter of the candidates; power over time of codes
 * that come from traces. */
#ifndef WTL_REPORT_POSE_PANELS_H
#define WTL_REPORT_POSE_PANELS_H

#include "analysis/pose/pose_study.h"
#include "plot/axes.h"

/* Have at least two candidates a parameter? */
bool wtl_pose_gain_exists(const struct wtl_pose_study *study);

/* Gain over the parameter, a line for each metric; markers as in the chart, by regions under the first metric. */
void wtl_pose_gain_draw(struct wtl_canvas *canvas,
                        const struct wtl_pose_study *study,
                        double top,
                        double width,
                        double height);

enum { WTL_POSE_POWER_CELLS = 300 };

struct wtl_pose_run {
    size_t subject;
    double power_w[WTL_POSE_POWER_CELLS]; /* NaN = unknown */
};

struct wtl_pose_power {
    struct wtl_pose_run *runs; /* owned */
    size_t count;              /* 0 = no power over time is known */
    double end_s, most_w;
};

/* Read it from the traces of all subjects. 0; what the reader said; -ENOMEM. */
int wtl_pose_power_read(const struct wtl_pose_study *study,
                        struct wtl_pose_power *ret_power,
                        struct wattle_error *err);
void wtl_pose_power_fini(struct wtl_pose_power *power);

void wtl_pose_power_draw(struct wtl_canvas *canvas,
                         const struct wtl_pose_study *study,
                         const struct wtl_pose_power *power,
                         double top,
                         double width,
                         double height);

#endif
