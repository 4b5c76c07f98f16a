/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metric: what is to be minimised, a cost M(E, t) that rises with energy and run time. Along a ray of
 * constant mean power P, E = P t; what the model needs is where on another ray the cost is the same.
 *
 *   Et^N             E t^N
 *   EDS:alpha,beta   alpha E + beta t
 *   EDD:alpha,beta   sqrt((alpha E)^2 + (beta t)^2)
 *   else             an expression in E [J] and t [s] (base/expression.h)
 *
 * alpha and beta may be arithmetic: EDS:0.30/3.6e6,2.50/3600 is the cost in money at 0.30 per kWh and 2.50 per
 * hour of the machine.
 *
 * A metric is separable when M(P t, t) = t^h f(P): then, with g = f^(1/h), a time on the ray P costs as
 * much as the time t g(P) / g(R) on the ray R. The three are (h = N + 1, 1, 1); an expression is taken for
 * separable when it is so wherever wtl_pose_metric_check() looked.
 */
#ifndef WTL_ANALYSIS_POSE_METRIC_H
#define WTL_ANALYSIS_POSE_METRIC_H

#include <stdbool.h>

#include <wattle/error.h>

#include "base/expression.h"

enum wtl_pose_kind { WTL_POSE_ET_N, WTL_POSE_EDS, WTL_POSE_EDD, WTL_POSE_EXPRESSION };

struct wtl_pose_metric {
    enum wtl_pose_kind kind;
    double n;           /* Et^N */
    double alpha, beta; /* EDS [1/J, 1/s], EDD */
    struct wtl_expression *expression;
    bool separable;
    double h; /* NaN when not separable */
};

/* Returns 0; -EINVAL with the remedy in err; -ENOMEM. Freed by wtl_pose_metric_fini(). */
int wtl_pose_metric_parse(const char *text,
                          struct wtl_pose_metric *ret_metric,
                          struct wattle_error *err);
void wtl_pose_metric_fini(struct wtl_pose_metric *metric);

/*
 * Does the metric rise in energy and in time wherever a code of run time t_s may move between and around
 * the two powers? Every expression must pass before it is used; for the others it always holds. Returns 0 or
 * -EDOM, with a point in err where it does not.
 */
int wtl_pose_metric_check(struct wtl_pose_metric *metric,
                          double t_s,
                          double low_w,
                          double high_w,
                          struct wattle_error *err);

/* The cost; infinite when it exceeds what a double holds. */
double wtl_pose_metric_value(const struct wtl_pose_metric *metric, double e_j, double t_s);

/* M(from_w t, t) / M(to_w x, x), without overflow where the metric is separable. */
double wtl_pose_metric_ratio(const struct wtl_pose_metric *metric,
                             double t_s,
                             double from_w,
                             double x_s,
                             double to_w);

/* The run time at power to_w that costs as much as t_s at from_w. May be 0 or infinite where to_w or
 * from_w is 0; NaN when there is none. */
double wtl_pose_metric_time(const struct wtl_pose_metric *metric,
                            double t_s,
                            double from_w,
                            double to_w);

/* The energy that with run time x_s costs as much as e_j with t_s; NaN when x_s costs more even
 * without any energy. */
double wtl_pose_metric_energy(const struct wtl_pose_metric *metric,
                              double e_j,
                              double t_s,
                              double x_s);

#endif
