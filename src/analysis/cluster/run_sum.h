/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the nodes of a run, by the rules of model/energy.h, used by reduce, stats, compare and
 * the report. Estimates and measurements are two sums that are never added to each other. */
#ifndef WTL_ANALYSIS_RUN_SUM_H
#define WTL_ANALYSIS_RUN_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

/* A value over nodes: the nodes with the minimum, the maximum and the median (the lower of two).
 * Names are borrowed. */
struct wtl_run_spread {
    size_t nodes;                      /* with a known value; 0: the rest is meaningless */
    double min, median, max, mean, sd; /* sd: NaN for fewer than two nodes */
    const char *min_node, *median_node, *max_node;
};

/* A node's contribution to a sum: its total, or the channels of a domain or part.
 * Zero-initialised. */
struct wtl_run_part {
    size_t channels;          /* 0 = none: the rest is meaningless */
    bool in_total;            /* all channels are */
    struct wtl_energy energy; /* sum over all channels */
    double in_total_j;        /* sum over those in the total; NaN: none, or unknown */
    double mean_w;            /* over the known time */
    double unknown_s;         /* whose energy is not included: the longest of a channel */
    /* While it is being built. */
    struct wtl_energy_sum sum;
    bool in_total_any;
};

void wtl_run_part_add(struct wtl_run_part *part, const struct wtl_result_channel *channel);

/* The result's total. */
struct wtl_run_part wtl_run_part_total(const struct wtl_result *result);

/* What a node adds to a sum. */
struct wtl_run_addend {
    struct wtl_energy energy;
    double time_s;    /* for mean power; 0: the sum has a separate time */
    double unknown_s; /* whose energy is not included */
    double full_j;    /* the energy extrapolated over that time; needed only if there is such
                       * time */
};

/* window_s: of the node. Without channels: unknown. */
struct wtl_run_addend wtl_run_part_addend(const struct wtl_run_part *part, double window_s);

/* A sum over nodes, of one kind: measured (and derived), or estimated. Zero-initialised. */
struct wtl_run_sum {
    size_t nodes;             /* with known values */
    size_t unknown;           /* would be in it if their values were known */
    struct wtl_energy energy; /* known_j: of the known nodes */
    double unknown_s;         /* whose energy is not included: the longest of a node */
    double full_j;            /* the energy extrapolated over that time */
    size_t partial;           /* known nodes with such time */
    double mean_w; /* NaN: no time, or unknown; unknown time counts with the power of the known
                    * time */
    struct wtl_run_spread per; /* energy per known node */
    /* While it is being built. */
    struct wtl_energy_sum sum;
    double time_s;
    struct wtl_run_value *values;
};

/* Add the nodes in the order of the run. 0 or -ENOMEM. */
int wtl_run_sum_add(struct wtl_run_sum *sum, const struct wtl_run_addend *share, const char *node);
/* Call when all have been added, or to give up. whole: half widths contain the error of a model,
 * and add linearly. time_s: for mean power; 0: use the mean of the addends' times. */
void wtl_run_sum_close(struct wtl_run_sum *sum, bool whole, double time_s);

/* A flag of nodes' results, stored once; or one of the run itself. */
struct wtl_run_flag {
    struct wtl_result_flag flag; /* as on the first node that has it */
    size_t nodes;
    const char *first; /* name of the first node, borrowed; NULL: the run's flag */
};

struct wtl_run_flags {
    struct wtl_run_flag *items; /* owned */
    size_t count;
};

/* Add one node's flag; 0 or -ENOMEM. */
int wtl_run_flags_add(struct wtl_run_flags *flags,
                      const struct wtl_result_flag *own,
                      size_t count,
                      const char *node);
/* Add a flag of the run that concerns this many nodes; 0 or -ENOMEM. */
int wtl_run_flags_say(struct wtl_run_flags *flags,
                      size_t nodes,
                      const char *name,
                      const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
void wtl_run_flags_fini(struct wtl_run_flags *flags);

#endif
