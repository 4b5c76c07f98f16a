/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that build a profile (run_profile.h). */
#ifndef WTL_ANALYSIS_PROFILE_PASS_H
#define WTL_ANALYSIS_PROFILE_PASS_H

#include "analysis/cluster/run_profile.h"
#include "analysis/power/bins.h"

enum { WTL_PROFILE_FINE = 4 }; /* fine cells per cell */
#define WTL_PROFILE_HALF 0.5   /* fraction of a cell that must be known for it to count */

/* A profile being built. */
struct wtl_profile_pass {
    const struct wtl_run *run;
    const struct wtl_profile_options *options;
    struct wtl_run_profile *profile;
    struct wattle_error *err;
    float *matrix[WTL_PROFILE_PARTS]; /* [nodes * cells] for each part; 0 is profile->node_w */
    struct wtl_bins fine;             /* cells of one channel on one node */
    double *power;                    /* [fine.count] for one part of one node */
    float *moments;                   /* [nodes * fine.count] for the total */
    double *column;                   /* for sorting: max(nodes, fine.count) */
    double *weight, *weighted;        /* [regions * cells]: sums for the mean within regions */
};

/* Is the node's value of part k included in the sums? No if it is unknown, or an estimate among
 * measured ones. */
bool wtl_profile_adds(const struct wtl_run_profile *profile,
                      const struct wtl_profile_node *node,
                      size_t k);

/* Power over time of node i, and the time inside regions. */
int wtl_profile_power(struct wtl_profile_pass *pass, size_t i);

#endif
