/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparison: one quantity in the runs of two sides, A and B. Everything is over runs, never over
 * samples, and on logarithms: the ratio B / A of geometric means is compared. Which question
 * a number answers, and the sources of the formulas: docs/decisions/0015-verdicts.md. The words are
 * in analysis/compare/verdict.h; pairs that are checked as they arrive in analysis/compare/sequence.h.
 *
 * Pure functions of their arguments: any thread. Unknown is NaN.
 */
#ifndef WTL_ANALYSIS_COMPARISON_H
#define WTL_ANALYSIS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare/bootstrap.h"
#include "model/statistics/spread.h"

/* A verdict needs this number of runs per side, or a noise floor (goals: Statistics). */
#define WTL_COMPARISON_RUNS 5

/* How much single runs of the same command vary: standard deviation of the logarithm (0.01 is 1 %),
 * and how well it is known, in degrees of freedom (runs - 1; INFINITY: exactly). */
struct wtl_noise {
    double log_sd; /* NaN = unknown */
    double df;
};

/* The runs of both sides, in the order in which they ran. Not copied. */
struct wtl_groups {
    const double *a, *b;
    size_t a_n, b_n; /* a_n == b_n when paired */
    bool paired;     /* a[i] and b[i] ran one right after the other */
    bool estimated;  /* no interval is known: over runs it leaves out the error of the model */
    struct wtl_noise noise; /* stored before; {NAN, NAN} = none */
    double
        resolution; /* half width that the sensors leave to the ratio, as a part of it; no interval is narrower. 0: none */
};

/* The origin of the standard error of a comparison. */
enum wtl_comparison_basis {
    WTL_COMPARISON_BY_NOTHING, /* run-to-run variation unknown, or an estimate: no interval */
    WTL_COMPARISON_BY_RUNS,    /* these runs */
    WTL_COMPARISON_BY_NOISE,   /* a stored noise floor, since there are too few runs */
};

struct wtl_comparison {
    size_t a_n, b_n;
    bool paired;
    struct wtl_interval a_mean, b_mean; /* wtl_mean_of_runs(): the ratio is that of these */
    struct wtl_spread a, b;             /* arithmetic, in the unit of the quantity */

    struct wtl_interval
        difference;            /* B - A of arithmetic means, in the unit; Welch, or over pairs */
    struct wtl_interval ratio; /* B / A; NaN when a value is not above 0 */
    struct wtl_interval
        bootstrap; /* the same ratio, its interval by resampling runs; NaN below 5 */

    enum wtl_comparison_basis basis;
    struct wtl_noise noise; /* of a run (paired: of a pair's ratio): the origin of the error */
    double resolution;      /* that of the groups */
    double log_error;       /* standard error of log(ratio.value) */
    double df;         /* its degrees of freedom: Welch-Satterthwaite, pairs - 1, the floor's */
    double p;          /* two-sided, of ratio 1 */
    double detectable; /* these runs would show a true difference of this size (0.01 = 1 %)
                               with a power of 80 % at 5 % false alarms */
};

/*
 * Compare. Runs must be known (no NaN); a_n and b_n at least 1. seed chooses the resamples (the same
 * seed, the same interval); resamples 0: no bootstrap.
 * 0; -EINVAL when paired sides differ in number or one has no run; -ENOMEM.
 */
int wtl_compare(const struct wtl_groups *groups,
                unsigned seed,
                size_t resamples,
                struct wtl_comparison *ret_comparison);
#define WTL_COMPARISON_RESAMPLES 9999

/*
 * The mean of runs, of which the ratio is taken: geometric, with its interval of 95 % by Student over the logarithms (NaN for n < 3).
 * Where a run is not above 0 there is no ratio, and the mean is arithmetic.
 */
struct wtl_interval wtl_mean_of_runs(const double *values, size_t n);

/*
 * How many more runs per side until the question is answered, if further runs vary as these do:
 * a true difference of `resolve` (0.01 = 1 %) would be shown (p below alpha) with a power of
 * 80 %, and the interval around the present ratio excludes 1 or lies within 1 +- resolve.
 * 0: these runs suffice. INFINITY: more than a million. NaN: their variation is unknown.
 */
double wtl_comparison_more_runs(const struct wtl_comparison *comparison,
                                double resolve,
                                double alpha);

/* An interval of a ratio, at least as wide as this resolution leaves it. Unknown stays unknown. */
struct wtl_interval wtl_interval_widened(struct wtl_interval ratio, double resolution);

/* The ratio with an interval of another level than 95 %: 1 - alpha. */
struct wtl_interval wtl_comparison_ratio(const struct wtl_comparison *comparison, double alpha);

#endif
