/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drift: do values rise or fall over the order in which the runs ran? The Mann-Kendall test counts,
 * over all pairs of runs of the same side, whether the later is greater; an outlier has no more
 * weight than any other run. Sides are tested together, each in its own order (H. B. Mann,
 * Econometrica 13 (1945); R. M. Hirsch, J. R. Slack, R. A. Smith, Water Resources Research 18 (1982)).
 */
#ifndef WTL_ANALYSIS_DRIFT_H
#define WTL_ANALYSIS_DRIFT_H

#include <stddef.h>

struct wtl_drift {
    double p;       /* two-sided; NaN below four runs */
    double per_run; /* median change from one run of a side to its next, 0.01 = 1 % (Sen's slope of
                       the logarithms); NaN when a value is not above 0 */
};

/* Of one side (b_n 0) or of two. 0 or -ENOMEM. */
int wtl_drift_of(const double *a,
                 size_t a_n,
                 const double *b,
                 size_t b_n,
                 struct wtl_drift *ret_drift);

/*
 * p of no difference between two sides when a steady drift, the same in both, is allowed for: analysis
 * of covariance of the logarithms with the instants of the runs (in any unit). If one side ran
 * before the other, only this distinguishes a difference from a drift, at half the precision; if
 * they took turns it hardly differs from the plain test. NaN: a value is not above 0, or there are too
 * few runs or instants.
 */
double wtl_drift_allowed_p(const double *a,
                           const double *a_when,
                           size_t a_n,
                           const double *b,
                           const double *b_when,
                           size_t b_n);

#endif
