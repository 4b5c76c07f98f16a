/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check: has a metric grown beyond a limit against a base? One look at a number of runs fixed before,
 * one-sided, by Welch's t test on the logarithms: if the true change is exactly the limit, 5 % of all checks report
 * "above", and fewer if it is below.
 */
#ifndef WTL_ANALYSIS_CHECK_H
#define WTL_ANALYSIS_CHECK_H

#include "analysis/compare/comparison.h"
#include "analysis/compare/metric.h"

enum wtl_check_outcome {
    WTL_CHECK_WITHIN,    /* shown to be within the limit */
    WTL_CHECK_NOT_ABOVE, /* neither shown to be above nor shown to be within */
    WTL_CHECK_ABOVE,
    WTL_CHECK_UNKNOWN, /* cannot tell; the text says why */
};

struct wtl_check {
    /* What was asked for; the results are borrowed. */
    enum wtl_metric metric;
    double limit; /* 0.02: no more than 2 % above the base */
    const struct wtl_result *base, *runs;
    size_t base_count, run_count;

    /* What follows: wtl_check_judge(). */
    enum wtl_check_outcome outcome;
    struct wtl_spread base_spread,
        run_spread; /* in the unit of the metric, the mean that of wtl_mean_of_runs(); NaN = unknown */
    struct wtl_interval change; /* 0.031 = 3.1 % more than the base; 90 %, so that each end is a
                                   one-sided bound of 95 % */
    double p;     /* one-sided, of a change no greater than the limit; NaN = unknown */
    double shown; /* a true change of this size would be shown to be above the limit with 80 % */
    struct wtl_comparison comparison; /* zero without a comparison */
    char text[400];                   /* the outcome as a sentence */
    char clause[300]; /* the same without the numbers of the change; UNKNOWN: only why */
};

/* "within", "not above", "above", "unknown" */
const char *wtl_check_outcome_name(enum wtl_check_outcome outcome);

/* 0 or -ENOMEM. */
int wtl_check_judge(struct wtl_check *check);

#endif
