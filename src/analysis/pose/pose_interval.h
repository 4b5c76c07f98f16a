/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well a POSE model is known: 95 % intervals of its insights.
 *
 * There are three sources of uncertainty: run time and energy vary from run to run, together;
 * sensors resolve energy to some joules; Pmin and Pmax were measured, too. Each one on its own
 * would move an insight from f to f - a and f + b; the interval is f - sqrt(sum a^2) .. f +
 * sqrt(sum b^2), for ratios on their logarithm (Zou and Donner, "Construction of confidence limits
 * about effect measures: a general approach", Statistics in Medicine 27, 2008). With a single
 * source it is the interval of that source, however nonlinear the metric.
 *
 * Run-to-run variation: the means of log t and log E have a covariance; the ends are Student's t
 * with runs - 1 degrees of freedom standard errors from the mean, in the direction in which the
 * insight changes most relative to their size. With fewer than 3 runs it is unknown, and the
 * interval covers only what else is known. Sensor ticks contribute to the spread of runs, and are
 * counted again where their size is known: the interval is then a little too wide, and never
 * shrinks to nothing because runs happen to agree.
 */
#ifndef WTL_ANALYSIS_POSE_INTERVAL_H
#define WTL_ANALYSIS_POSE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/pose/pose.h"

/* Uncertainty of the four numbers of a code. Unknown is NaN. */
struct wtl_pose_doubt {
    size_t runs;           /* that t_s and e_j are means of; 0 = entered by the user */
    double t_sd_s, e_sd_j; /* standard deviations of single runs; NaN for fewer than 3 */
    double correlation;    /* between t_s and e_j over the runs, -1 .. 1 */
    double
        e_resolution_j; /* half width of the sensors' 95 % interval of the mean e_j; for an estimate
                         * including the error of its model, which does not shrink with runs */
    double pmin_half_w, pmax_half_w; /* half widths of the bounds' 95 % intervals */
    double e_low_j, e_high_j; /* the ends of an asymmetric interval of e_j, as for an estimate; NaN:
                               * e_resolution_j applies to both sides */
};

struct wtl_pose_range {
    double low, high; /* NaN = unknown */
};

struct wtl_pose_intervals {
    struct wtl_pose_range absolute[WTL_POSE_INSIGHTS], ratio[WTL_POSE_INSIGHTS];
    struct wtl_pose_range scope;            /* range of pose.scope */
    bool of_runs, of_resolution, of_bounds; /* sources included in the intervals */
};

/* How well a verdict is known, given the runs and resolution of the other version and the
 * uncertainty of the code. */
struct wtl_pose_verdict_interval {
    struct wtl_pose_range gain;
    bool decided; /* no other region is within the intervals; true if nothing is known about them */
};

/* Nothing is known. */
struct wtl_pose_doubt wtl_pose_doubt_unknown(void);

/* The means and the uncertainty of n runs. Sets t_s and e_j of code. Returns 0; -EINVAL: n is 0, a
 * value is not finite or not above 0. */
int wtl_pose_doubt_of_runs(const double *t_s,
                           const double *e_j,
                           size_t n,
                           struct wtl_pose_code *code,
                           struct wtl_pose_doubt *ret_doubt);

/*
 * The intervals of a model. If nothing is known about a code, all ranges are NaN; so is that of an
 * insight that is unknown itself, or becomes so within the interval (an infinite ratio, Pmin above
 * Pmax). Returns 0, or -EINVAL: a standard deviation or a width is negative, the correlation not in
 * -1 .. 1.
 */
int wtl_pose_intervals_of(const struct wtl_pose *pose,
                          const struct wtl_pose_metric *metric,
                          const struct wtl_pose_doubt *doubt,
                          struct wtl_pose_intervals *ret_intervals);

/* The same for another version of the code, whose run time and energy have their own uncertainty. 0
 * or -EINVAL, as above. */
int wtl_pose_verdict_interval_of(const struct wtl_pose *pose,
                                 const struct wtl_pose_metric *metric,
                                 const struct wtl_pose_doubt *doubt,
                                 struct wtl_pose_point candidate,
                                 const struct wtl_pose_doubt *candidate_doubt,
                                 struct wtl_pose_verdict_interval *ret_interval);

/* The intervals of wtl_pose_system()'s ratios when the bounds are known to +- half; NaN if neither
 * is. 0 or -EINVAL. */
int wtl_pose_system_intervals_of(double pmin_w,
                                 double pmax_w,
                                 double pmin_half_w,
                                 double pmax_half_w,
                                 const struct wtl_pose_metric *metric,
                                 struct wtl_pose_range ret_ratios[WTL_POSE_INSIGHTS]);

#endif
