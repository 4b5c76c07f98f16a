/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metric: what to minimise, a cost M(E, t) that rises with energy and run time. Along a ray of
 * constant mean power P, E = P t; the model needs the point of equal cost on another ray.
 *
 *   Et^N             E t^N
 *   EDS:alpha,beta   alpha E + beta t
 *   EDD:alpha,beta   sqrt((alpha E)^2 + (beta t)^2)
 *   else             an expression in E [J] and t [s] (base/expression/expression.h)
 *
 * alpha and beta may be arithmetic: EDS:0.30/3.6e6,2.50/3600 is the cost in money at 0.30 per kWh
 * and 2.50 per hour of the machine.
 *
 * A metric is separable if M(P t, t) = t^h f(P): then a time t on the ray P costs as much as t
 * (f(P) / f(R))^(1/h) on the ray R. The three are (h = N + 1, 1, 1); an expression is if its form
 * shows that it is homogeneous of degree h (base/expression/expression_degree.h).
 *
 * A metric must not fall with energy or with time. It may be flat in one of them ("E", "max(E,
 * 200*t)"), and jump up ("E + ceil(t/3600)"), but at a result it must rise along its ray, or the
 * run time would not be unique. This is checked for expressions: by proof around the code, and
 * again at each result.
 *
 * A parsed metric never changes: any number of threads may use it.
 */
#ifndef WTL_ANALYSIS_POSE_METRIC_H
#define WTL_ANALYSIS_POSE_METRIC_H

#include <stdbool.h>

#include <wattle/error.h>

#include "base/expression/expression.h"

enum wtl_pose_kind { WTL_POSE_ET_N, WTL_POSE_EDS, WTL_POSE_EDD, WTL_POSE_EXPRESSION };

struct wtl_pose_metric {
    enum wtl_pose_kind kind;
    double n;           /* Et^N */
    double alpha, beta; /* EDS [1/J, 1/s], EDD */
    struct wtl_expression *expression;
    bool separable;
    double h; /* above 0; NaN if not separable */
};

/* Returns 0; -EINVAL with the remedy in err; -ENOMEM. Freed by wtl_pose_metric_fini(). */
int wtl_pose_metric_parse(const char *text,
                          struct wtl_pose_metric *ret_metric,
                          struct wattle_error *err);
void wtl_pose_metric_fini(struct wtl_pose_metric *metric);

struct wtl_pose_wedge {
    double low_w, high_w; /* all codes of E / t between these, 0 <= low_w < high_w, */
    double t_low, t_high; /* and of run times between these [s], 0 < t_low < t_high */
};

/*
 * Does the metric fall, or have no value, anywhere in the wedge? Every expression must be checked
 * where it is used; the other metrics always pass. Returns 0 or -EDOM, with the points in err.
 */
int wtl_pose_metric_check(const struct wtl_pose_metric *metric,
                          const struct wtl_pose_wedge *wedge,
                          struct wattle_error *err);

/* The cost; infinite when it exceeds what a double holds. */
double wtl_pose_metric_value(const struct wtl_pose_metric *metric, double e_j, double t_s);

/* M(from_w t, t) / M(to_w x, x), without overflow of the costs if the metric is separable; and its
 * logarithm, which then cannot overflow. */
double wtl_pose_metric_ratio(const struct wtl_pose_metric *metric,
                             double t_s,
                             double from_w,
                             double x_s,
                             double to_w);
double wtl_pose_metric_log_ratio(const struct wtl_pose_metric *metric,
                                 double t_s,
                                 double from_w,
                                 double x_s,
                                 double to_w);

/* The run time at power to_w that costs as much as t_s at from_w. May be 0 or infinite where to_w
 * or from_w is 0; where the metric jumps over that cost, the time of the jump. NaN if none is
 * certain to a relative 1e-9. */
double wtl_pose_metric_time(const struct wtl_pose_metric *metric,
                            double t_s,
                            double from_w,
                            double to_w);

/* The energy that with run time x_s costs as much as e_j with t_s; NaN if none does. */
double wtl_pose_metric_energy(const struct wtl_pose_metric *metric,
                              double e_j,
                              double t_s,
                              double x_s);

#endif
