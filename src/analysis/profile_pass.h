/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that make a profile (run_profile.h) share. */
#ifndef WTL_ANALYSIS_PROFILE_PASS_H
#define WTL_ANALYSIS_PROFILE_PASS_H

#include "analysis/run_profile.h"
#include "analysis/time_cells.h"
#include "model/result.h"

enum { WTL_PROFILE_FINE = 4 }; /* fine cells in a cell */
#define WTL_PROFILE_HALF 0.5   /* of a cell must be known, for it to count */

/* A profile under construction. */
struct wtl_profile_pass {
    const struct wtl_profile_source *source;
    const struct wtl_profile_options *options;
    struct wtl_run_profile *profile;
    struct wattle_error *err;
    int64_t end_ns;                   /* of the run */
    float *matrix[WTL_PROFILE_PARTS]; /* [nodes * cells] of each part; 0 is profile->node_w */
    struct wtl_cells fine;            /* of one channel of one node */
    double *power;                    /* [fine.count] of one part of one node */
    float *moments;                   /* [nodes * fine.count] of the total */
    double *column;                   /* room to sort: the larger of nodes and fine.count */
    double *weight, *weighted;        /* [regions * cells]: sums for the mean within regions */
    size_t regions_room;
};

/* The word that stands for a channel's part in its name: "package" of "powercap:package-0". */
void wtl_profile_part_name(const struct wattle_channel *channel, char ret_name[WATTLE_NAME_MAX]);

/* Does the channel count for its part on this node? (primary, and within no other one of the part) */
bool wtl_profile_counts(const struct wtl_result *result, size_t channel);

/* First pass: what footers tell of node i. */
int wtl_profile_facts(struct wtl_profile_pass *pass, size_t i);

/* Second pass: power over time of node i, and the time inside regions. */
int wtl_profile_power(struct wtl_profile_pass *pass, size_t i);
int wtl_profile_regions(struct wtl_profile_pass *pass, struct wtl_trace_reader *reader, size_t i);

/* After both: who stands out. */
int wtl_profile_judge(struct wtl_profile_pass *pass);

/* The region of that name, made where there is none; NULL: no room for more (counted), or no memory (*ret_rc). */
struct wtl_profile_region *wtl_profile_region_of(struct wtl_profile_pass *pass,
                                                 const char *name,
                                                 bool make,
                                                 int *ret_rc);

#endif
