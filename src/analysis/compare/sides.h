/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sides: the results of two groups of runs, A and B, compared quantity by quantity. Time, energy,
 * power and energy x time are the headline: each has a verdict, and the four comparisons
 * share 5 % by Holm's correction. A change has one interval: comparison.ratio of a row is that of its
 * verdict. Channels and regions are descriptive: each has a separate 95 % interval and no verdict; about one in twenty
 * excludes 1 by chance.
 */
#ifndef WTL_ANALYSIS_SIDES_H
#define WTL_ANALYSIS_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/compare/comparison.h"
#include "analysis/compare/drift.h"
#include "analysis/compare/verdict.h"
#include "model/result.h"

enum wtl_row_group { WTL_ROW_HEADLINE, WTL_ROW_CHANNEL, WTL_ROW_REGION };

struct wtl_side_row {
    enum wtl_row_group group;
    char name[96];                    /* "time", "powercap:package-0", a region's */
    const char *quantity;             /* "time", "energy", "power", "energy x time" */
    const char *unit;                 /* "s", "J", "W", "J s" */
    enum wattle_quality quality;      /* of the weaker side; a time is measured */
    bool simulated;                   /* on either side */
    double a_range[2], b_range[2];    /* 95 % range of the mean of an estimate; else NaN */
    double resolution;                /* of the sensors, for the ratio of the means; 0 = none */
    double *a, *b;                    /* of each run, NaN = unknown; owned */
    char why[96];                     /* why it cannot be compared; "" = it was */
    struct wtl_comparison comparison; /* valid without a `why` */
    struct wtl_drift drift;
    double drift_allowed_p; /* of no difference when a steady drift is allowed for; NaN = unknown */
    size_t a_outliers, b_outliers;
    struct wtl_verdict verdict; /* of the headline */
    double alpha; /* 1 - the level of comparison.ratio: what Holm left to a verdict, else 0.05 */
};

struct wtl_sides_options {
    bool paired, regions;
    double resolve;            /* 0.01 */
    struct wtl_noise noise[4]; /* stored floors of the headline, in its order; {NAN, NAN} = none */
    size_t warm_up;            /* first runs of each side to drop */
    bool warm_up_auto;         /* or as many as wtl_warm_up() finds */
    unsigned seed;
    size_t resamples;      /* of the bootstrap; 0 = none */
    const char *forbidden; /* reason from the conditions; NULL = none */
};

struct wtl_sides {
    const struct wtl_result *a, *b; /* in the order of their runs, after the warm-up; borrowed */
    size_t a_n, b_n;
    size_t a_dropped, b_dropped; /* warm-up */
    size_t a_warm_up, b_warm_up; /* not dropped, but found by the rule */
    bool order_known;            /* all runs have a time of day */
    bool apart;                  /* one side ended before the other began */
    bool overlap;                /* two runs overlap in time */
    bool paired;
    struct wtl_side_row *rows; /* headline first, then channels, then regions */
    size_t count, headline;
    size_t compared;               /* headline rows with a p, for Holm's correction */
    char only_a[256], only_b[256]; /* names of channels missing on the other side */
    char forbidden[256];           /* why no row has a verdict; "" = no reason */
    char energy_forbidden[256];    /* why those of energy have none */
    bool totals_differ;            /* in content: not compared */
};

/*
 * Compare. Both sides are sorted by the time at which they ran, in place, if all have one (not
 * when paired: pairs are in the order given). a and b must outlive the result. 0; -EINVAL with a
 * sentence (no run left, pairs that do not match, nothing common); -ENOMEM; what a trace's reader said.
 */
int wtl_sides_compare(struct wtl_result *a,
                      size_t a_n,
                      struct wtl_result *b,
                      size_t b_n,
                      const struct wtl_sides_options *options,
                      struct wtl_sides *ret_sides,
                      struct wattle_error *err);
void wtl_sides_fini(struct wtl_sides *sides);

#endif
