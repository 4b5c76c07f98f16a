/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Best group: the settings of a sweep that cannot be told from the best. Every block holds each setting once, so what
 * changes from block to block affects all of them alike and is removed (two-way analysis of variance, on logarithms). A
 * setting is in the group unless another one is shown to be better; the truly best one is in it with at least 95 %, whatever
 * the others are (subset selection: S. S. Gupta, On some multiple decision rules, Technometrics 7 (1965); the critical value
 * is that of C. W. Dunnett, A multiple comparison procedure for comparing several treatments with a control, JASA 50 (1955),
 * one-sided, for all settings as the control). The number of blocks must not be chosen by the result.
 *
 * Pure: any thread. Unknown is NaN.
 */
#ifndef WTL_ANALYSIS_BEST_GROUP_H
#define WTL_ANALYSIS_BEST_GROUP_H

#include <stdbool.h>
#include <stddef.h>

enum { WTL_SWEEP_SETTINGS = 256 };

/* Costs, smaller being better, of each block and setting. */
struct wtl_sweep_costs {
    const double *values; /* [block * settings + setting], above 0; not copied */
    size_t blocks, settings;
    const double *resolution; /* of each setting's mean: half width, as a part of it; NULL = none */
    double alpha;             /* 0.05: chance that the truly best one is not in the group */
    double critical;          /* of earlier costs with the same numbers and alpha; 0 = compute it */
};

struct wtl_best_group {
    size_t best; /* least mean (of logarithms) */
    size_t size; /* of the group */
    bool in[WTL_SWEEP_SETTINGS];
    double mean[WTL_SWEEP_SETTINGS]; /* geometric */
    double log_sd;                   /* of a run within its block; NaN below two blocks */
    double df;
    double critical; /* one-sided critical value; NaN below two blocks */
    double margin;   /* a setting is in the group if its mean is within this part of the best one */
};

/* With fewer than two blocks nothing can be told apart: all are in the group. 0; -EINVAL: no settings or blocks, or a cost
 * that is not above 0. */
int wtl_best_group_find(const struct wtl_sweep_costs *costs, struct wtl_best_group *ret);

/* Mean of setting i, and its interval against the run-to-run variation of all settings (95 %, Student); NaN: unknown. */
void wtl_best_group_interval(const struct wtl_best_group *group,
                             size_t setting,
                             size_t blocks,
                             double *ret_low,
                             double *ret_high);

/* Dunnett's one-sided critical value for n comparisons with one control, equal numbers of runs. df may be INFINITY. */
double wtl_dunnett_critical(size_t n, double df, double alpha);

#endif
