/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check: has a metric grown beyond a limit against a base? One look at runs whose number was fixed
 * before, one-sided, by Welch's t of the logarithms: when the true change is just the limit, "above" is said in 5 % of all
 * checks, and less often when it is below.
 */
#ifndef WTL_ANALYSIS_CHECK_H
#define WTL_ANALYSIS_CHECK_H

#include "analysis/compare/comparison.h"
#include "analysis/compare/metric.h"

enum wtl_check_outcome {
    WTL_CHECK_WITHIN,    /* shown to be within the limit */
    WTL_CHECK_NOT_ABOVE, /* not shown to be above; not shown to be within, either */
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
    struct wtl_spread base_spread, run_spread; /* in the unit of the metric; NaN = unknown */
    struct wtl_interval change; /* 0.031 = 3.1 % more than the base; 90 %, so that each end is a
                                   one-sided bound of 95 % */
    double p;     /* one-sided, of a change no greater than the limit; NaN = unknown */
    double shown; /* a true change so large would have been shown to be above the limit with 80 % */
    struct wtl_comparison comparison; /* zero when there is none */
    char text[400];                   /* the outcome as a sentence */
    char clause[300]; /* the same without the numbers of the change; UNKNOWN: only why */
};

/* "within", "not above", "above", "unknown" */
const char *wtl_check_outcome_name(enum wtl_check_outcome outcome);

/* 0 or -ENOMEM. */
int wtl_check_judge(struct wtl_check *check);

#endif
