/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well a POSE model is known: 95 % intervals of its insights.
 *
 * Three things make them uncertain: run time and energy vary from run to run, together; sensors resolve
 * energy to some joules; Pmin and Pmax were measured, too. Each alone would move an insight from f to
 * f - a and f + b; the interval is f - sqrt(sum a^2) .. f + sqrt(sum b^2), of ratios on their logarithm (Zou
 * and Donner, "Construction of confidence limits about effect measures: a general approach", Statistics in
 * Medicine 27, 2008). With one of them it is that one's own interval, however crooked the metric is.
 *
 * What the runs alone allow: their means of log t and log E have a covariance; Student's t with
 * runs - 1 degrees of freedom standard errors from the mean, in the direction in which the insight changes
 * most for its size, lie the ends. Fewer than 3 runs tell nothing of it: then run-to-run variation is
 * unknown, and the interval is of what else is known. Ticks of the sensors are a part of the spread of runs, and
 * counted again where their size is known: the interval is a little too wide then, and never shrinks to
 * nothing because runs agree by chance.
 */
#ifndef WTL_ANALYSIS_POSE_INTERVAL_H
#define WTL_ANALYSIS_POSE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/pose/pose.h"

/* What is known about the four numbers of a code besides their values. Unknown is NaN. */
struct wtl_pose_doubt {
    size_t runs;           /* over which t_s and e_j are means; 0 = typed */
    double t_sd_s, e_sd_j; /* standard deviations of single runs; NaN for fewer than 3 */
    double correlation;    /* of t_s and e_j over the runs, -1 .. 1 */
    double
        e_resolution_j; /* half width of the sensors' 95 % interval of e_j, the mean; of an estimate with the
                              error of its model, which does not shrink with runs */
    double pmin_half_w, pmax_half_w; /* half widths of the bounds' 95 % intervals */
    double e_low_j, e_high_j; /* the ends of an interval of e_j that is lopsided, as of an estimate;
                                 NaN: e_resolution_j is to both sides */
};

struct wtl_pose_range {
    double low, high; /* NaN = unknown */
};

struct wtl_pose_intervals {
    struct wtl_pose_range absolute[WTL_POSE_INSIGHTS], ratio[WTL_POSE_INSIGHTS];
    struct wtl_pose_range scope;            /* of pose.scope */
    bool of_runs, of_resolution, of_bounds; /* what the intervals hold */
};

/* How well a verdict is known: of a version that is moved by its own runs and resolution, beside what moves the code. */
struct wtl_pose_verdict_interval {
    struct wtl_pose_range gain;
    bool
        decided; /* no other region lies within the intervals; true where nothing is known about them */
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

/*
 * The intervals of a model. Where nothing is known about a code, all ranges are NaN; so is that of an insight
 * which is unknown itself, or becomes so within the interval (an infinite ratio, Pmin above Pmax). Returns 0, or
 * -EINVAL: a standard deviation or a width is negative, the correlation not within -1 .. 1.
 */
int wtl_pose_intervals_of(const struct wtl_pose *pose,
                          const struct wtl_pose_metric *metric,
                          const struct wtl_pose_doubt *doubt,
                          struct wtl_pose_intervals *ret_intervals);

/* The same for another version of the code, whose run time and energy have a doubt of their own. 0 or -EINVAL, as above. */
int wtl_pose_verdict_interval_of(const struct wtl_pose *pose,
                                 const struct wtl_pose_metric *metric,
                                 const struct wtl_pose_doubt *doubt,
                                 struct wtl_pose_point candidate,
                                 const struct wtl_pose_doubt *candidate_doubt,
                                 struct wtl_pose_verdict_interval *ret_interval);

/* The intervals of wtl_pose_system()'s ratios when the bounds are known to +- half; NaN where neither is. 0 or -EINVAL. */
int wtl_pose_system_intervals_of(double pmin_w,
                                 double pmax_w,
                                 double pmin_half_w,
                                 double pmax_half_w,
                                 const struct wtl_pose_metric *metric,
                                 struct wtl_pose_range ret_ratios[WTL_POSE_INSIGHTS]);

#endif
