/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well a POSE model is known: 95 % intervals of its insights from the spread of run time and energy
 * over runs and from the intervals of Pmin and Pmax. Run-to-run spread, the sensors' resolution and the
 * bounds' calibration are kept apart until here, where the first and the last are joined; an interval says
 * which of them it holds.
 */
#ifndef WTL_ANALYSIS_POSE_INTERVAL_H
#define WTL_ANALYSIS_POSE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/pose.h"

/* What is known about the four numbers of a code besides their values. Unknown is NaN. */
struct wtl_pose_doubt {
    size_t runs;                     /* over which t_s and e_j are means; 0 = typed */
    double t_sd_s, e_sd_j;           /* standard deviations of single runs; NaN for fewer than 3 */
    double correlation;              /* of t_s and e_j over the runs, -1 .. 1 */
    double e_resolution_j;           /* half width of the sensors' 95 % interval of one run */
    double pmin_half_w, pmax_half_w; /* half widths of the bounds' 95 % intervals */
};

struct wtl_pose_range {
    double low, high; /* NaN = unknown */
};

struct wtl_pose_intervals {
    struct wtl_pose_range absolute[WTL_POSE_INSIGHTS], ratio[WTL_POSE_INSIGHTS];
    bool of_runs, of_resolution, of_bounds; /* what the intervals hold */
};

/* Nothing is known. */
struct wtl_pose_doubt wtl_pose_doubt_unknown(void);

/* The means and the doubt of n runs. code gets t_s and e_j. Returns 0; -EINVAL: n is 0, a value is not
 * finite or not above 0. */
int wtl_pose_doubt_of_runs(const double *t_s,
                           const double *e_j,
                           size_t n,
                           struct wtl_pose_code *code,
                           struct wtl_pose_doubt *ret_doubt);

/* The intervals of a model. Where nothing is known about a code, all ranges are NaN. 0 or -EINVAL. */
int wtl_pose_intervals_of(const struct wtl_pose *pose,
                          struct wtl_pose_metric *metric,
                          const struct wtl_pose_doubt *doubt,
                          struct wtl_pose_intervals *ret_intervals);

#endif
