/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POSE, the Power-Optimised Software Envelope (Roberts, Wright, Fahmy, Jarvis, ACM TACO 16 (3),
 * 2019; its errors are listed in docs/papers.md): from a code's run time and energy and the minimum
 * and maximum power of the machine, whether power or run time has more potential for optimisation.
 * All results are bounds: a real optimisation gains less.
 *
 * In the plane of run time t and energy E, theta is the code, with mean power P = E / t. Metrics
 * are costs. The envelope is between the lines E = Pmin t and E = Pmax t. Vertices:
 *
 *   B, E   where the cost equals that of theta, at Pmax and at Pmin    (optimisation bound)
 *   C      the best that power optimisation can do, at Pmin            (end of the contribution bound)
 *   A      where the cost equals that of C, at Pmax                    (optimisation limit)
 *   D      the same run time at Pmin
 */
#ifndef WTL_ANALYSIS_POSE_H
#define WTL_ANALYSIS_POSE_H

#include <wattle/error.h>

#include "analysis/pose/pose_metric.h"

struct wtl_pose_code {
    double t_s, e_j;       /* > 0 */
    double pmin_w, pmax_w; /* 0 <= pmin < pmax */
};

struct wtl_pose_point {
    double t_s, e_j;
};

enum wtl_pose_vertex {
    WTL_POSE_A,
    WTL_POSE_B,
    WTL_POSE_C,
    WTL_POSE_D,
    WTL_POSE_E,
    WTL_POSE_VERTICES
};

enum wtl_pose_insight {
    WTL_POSE_ENERGY_SAVED,       /* at most, by lower power only [J]; E / E_D */
    WTL_POSE_METRIC_IMPROVEMENT, /* at most, by power optimisation; M(theta) / M(C) */
    WTL_POSE_GUARANTEED_SPEEDUP, /* run time saved that always pays [s]; t / t_B */
    WTL_POSE_WORST_SLOWDOWN, /* run time that lower power can compensate, at most [s]; t_E / t */
    WTL_POSE_DOMINATING_SPEEDUP, /* run time saved that beats all power optimisation [s]; t / t_A */
    WTL_POSE_INSIGHTS
};

/* The JSON names, in the order of the enum. */
extern const char *const wtl_pose_insight_names[WTL_POSE_INSIGHTS];

struct wtl_pose_value {
    double absolute; /* NaN = exceeds a double */
    double ratio;
};

enum wtl_pose_warning {
    WTL_POSE_BELOW_FLOOR = 1u << 0,   /* P < Pmin: Pmin is not valid for this code */
    WTL_POSE_ABOVE_CEILING = 1u << 1, /* P > Pmax */
    WTL_POSE_TIME_MATTERS = 1u << 2   /* not separable: the ratios hold for this run time only */
};

/* Whether power or run time is worth the work: one classification, used by all sentences about a
 * code. */
enum wtl_pose_stance {
    WTL_POSE_RUN_TIME_ONLY,   /* lower power gains nothing */
    WTL_POSE_RUN_TIME_MOSTLY, /* all of it is equivalent to a speed-up below 1.05x */
    WTL_POSE_RUN_TIME_FIRST,  /* below 1.15x */
    WTL_POSE_POWER_TOO,       /* more */
    WTL_POSE_POWER_UNLIMITED  /* Pmin is 0 W */
};

struct wtl_pose {
    struct wtl_pose_code code;
    double p_w;   /* E / t */
    double scope; /* the speed-up at unchanged power that is equivalent to C */
    struct wtl_pose_point vertices[WTL_POSE_VERTICES];
    struct wtl_pose_value insights[WTL_POSE_INSIGHTS];
    unsigned warnings;           /* enum wtl_pose_warning */
    struct wtl_pose_wedge risen; /* where the metric has been shown not to fall */
};

/* Compute the model. First checks an expression around the code. Returns 0; -EINVAL for invalid
 * numbers, with the remedy; -EDOM for a metric that falls somewhere, or does not rise where a
 * vertex should be; -ERANGE for numbers outside 1e-100 .. 1e100. */
int wtl_pose_of(const struct wtl_pose_code *code,
                const struct wtl_pose_metric *metric,
                struct wtl_pose *ret_pose,
                struct wattle_error *err);

/* System summary: the maximum ratio of each insight over all codes between the two powers. Returns
 * 0; -EINVAL; -EDOM; -ERANGE; -ENOTSUP for a metric that is not separable, whose ratios depend on
 * run time. */
int wtl_pose_system(double pmin_w,
                    double pmax_w,
                    const struct wtl_pose_metric *metric,
                    double ret_ratios[WTL_POSE_INSIGHTS],
                    struct wattle_error *err);

/* Classify a scope; NaN is treated as 0. */
enum wtl_pose_stance wtl_pose_stance_of(double scope);

/* Curves for plotting: the energy at run time x_s; NaN where a curve has no point. */
double wtl_pose_optimisation_bound(const struct wtl_pose *pose,
                                   const struct wtl_pose_metric *metric,
                                   double x_s);
double wtl_pose_optimisation_limit(const struct wtl_pose *pose,
                                   const struct wtl_pose_metric *metric,
                                   double x_s);
double wtl_pose_contribution_bound(const struct wtl_pose *pose,
                                   const struct wtl_pose_metric *metric,
                                   double x_s);

/* Classification of another version of the code by its position. */
enum wtl_pose_region {
    WTL_POSE_STRONG_RUN_TIME = 1, /* better than any power optimisation could be */
    WTL_POSE_WEAK_RUN_TIME = 2,   /* better, due to run time more than power */
    WTL_POSE_POWER = 3,           /* better, due to power more than run time */
    WTL_POSE_DEGRADATION = 4      /* no better than the code */
};

struct wtl_pose_verdict {
    enum wtl_pose_region region;
    double gain;       /* M(theta) / M(candidate); above 1 = better */
    double power_gain; /* the gain at its power and the old run time */
    double time_gain;  /* the gain at its run time and the old power */
    /* Fraction of log(gain) due to power: the mean over both orders of the two steps, so that the
     * fractions of power and run time add up to 1 and that of power is above 0.5 in its region
     * only, whatever the metric. NaN without a gain. */
    double power_part;
    double balance; /* logarithm of power's gain over run time's; above 0 = power contributed
                     * more */
    double beyond;  /* logarithm of how much better it is than C; above 0 = beyond any power
                     * optimisation */
};

/* Can it be classified? 0; -EINVAL for invalid run time or energy, -ERANGE as above, -EDOM for a
 * metric that falls between the code and it. */
int wtl_pose_candidate_check(const struct wtl_pose *pose,
                             const struct wtl_pose_metric *metric,
                             struct wtl_pose_point candidate,
                             struct wattle_error *err);

struct wtl_pose_verdict wtl_pose_classify(const struct wtl_pose *pose,
                                          const struct wtl_pose_metric *metric,
                                          struct wtl_pose_point candidate);

#endif
