/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the report of a run shared by document and figures. */
#ifndef WTL_REPORT_RUN_SHARES_H
#define WTL_REPORT_RUN_SHARES_H

#include "analysis/cluster/run_profile.h"

/* Rows and cells of the heat map in a document. */
enum { WTL_RUN_HEAT_ROWS = 512, WTL_RUN_HEAT_CELLS = 131072 };

/* A piece of the total. */
struct wtl_run_share {
    const char *name; /* borrowed from the profile, or static */
    double energy_j, share;
    bool rest; /* rest without a measured part: derived */
};

/*
 * The breakdown of the total: the parts in it; or, if a single sensor covers the machine, the parts it
 * contains and the rest. Returns their number, at most WTL_PROFILE_PARTS + 1; 0 if no energy is known. Shares
 * sum to 1.
 */
size_t wtl_run_shares(const struct wtl_run_profile *profile, struct wtl_run_share *ret_shares);

/* A heat map with a limited number of rows: which nodes share a row, and the mean of their power. */
struct wtl_run_heat {
    size_t rows, columns, *first; /* [rows + 1]: nodes first[r] .. first[r+1]-1 of the order */
    size_t *order;                /* [nodes] */
    float *power;                 /* [rows * columns], W of a node */
    float low, high;              /* over all known values; NaN = none */
};
int wtl_run_heat_make(const struct wtl_run_profile *profile,
                      bool by_energy,
                      size_t rows_most,
                      size_t columns_most,
                      struct wtl_run_heat *ret_heat);
void wtl_run_heat_fini(struct wtl_run_heat *heat);

#endif
