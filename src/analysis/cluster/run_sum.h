/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the nodes of a run, by the rules of model/energy.h: one for reduce, stats, compare and the report. Estimates and
 * measurements are two sums that are never added to each other. */
#ifndef WTL_ANALYSIS_RUN_SUM_H
#define WTL_ANALYSIS_RUN_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

/* A number of each node: who has least, most, and stands in the middle (the lower of two). Names are borrowed. */
struct wtl_run_spread {
    size_t nodes;                      /* with a known value; 0: the rest means nothing */
    double min, median, max, mean, sd; /* sd: NaN below two nodes */
    const char *min_node, *median_node, *max_node;
};

/* What a node has of a sum: its total, or the channels of a domain or part. Zeroed at first. */
struct wtl_run_part {
    size_t channels;          /* 0 = none: the rest means nothing */
    bool in_total;            /* all of them */
    struct wtl_energy energy; /* of all of them */
    double in_total_j;        /* of those in the total; NaN: of none, or unknown */
    double mean_w;            /* over the known time */
    double unknown_s;         /* whose energy is left out: the longest of a channel */
    /* While it is made. */
    struct wtl_energy_sum sum;
    bool in_total_any;
};

void wtl_run_part_add(struct wtl_run_part *part, const struct wtl_result_channel *channel);

/* The result's total. */
struct wtl_run_part wtl_run_part_total(const struct wtl_result *result);

/* What a node gives to a sum. */
struct wtl_run_addend {
    struct wtl_energy energy;
    double time_s;    /* that mean power is over; 0: the sum is over a time of its own */
    double unknown_s; /* whose energy is left out */
    double full_j;    /* with that, as if it was like the known time; needed only there */
};

/* window_s: of the node. Of no channels: unknown. */
struct wtl_run_addend wtl_run_part_addend(const struct wtl_run_part *part, double window_s);

/* Over nodes, of one sort: measured (and derived), or estimated. Zeroed at first. */
struct wtl_run_sum {
    size_t nodes;             /* that are known */
    size_t unknown;           /* that would be in it, but for a value that is not known */
    struct wtl_energy energy; /* known_j: of the nodes that are known */
    double unknown_s;         /* whose energy is left out: the longest of a node */
    double full_j;            /* the energy, and with it that time as if it was like the known */
    size_t partial;           /* nodes of the known with such a time */
    double mean_w; /* NaN: over no time, or not known; unknown time counts like the node's known */
    struct wtl_run_spread per; /* energy of a node that is known */
    /* While it is made. */
    struct wtl_energy_sum sum;
    double time_s;
    struct wtl_run_value *values;
};

/* Nodes come in the order of the run. 0 or -ENOMEM. */
int wtl_run_sum_add(struct wtl_run_sum *sum, const struct wtl_run_addend *share, const char *node);
/* Once all have been added, or to give it up. whole: half widths hold the error of a model, and add whole. time_s: that mean
 * power is over; 0: over the mean of the addends' times. */
void wtl_run_sum_close(struct wtl_run_sum *sum, bool whole, double time_s);

/* A flag of nodes' results, once; or one of the run itself. */
struct wtl_run_flag {
    struct wtl_result_flag flag; /* of the first of them */
    size_t nodes;
    const char *first; /* name of the first, borrowed; NULL: of the run */
};

struct wtl_run_flags {
    struct wtl_run_flag *items; /* owned */
    size_t count;
};

/* One node's; 0 or -ENOMEM. */
int wtl_run_flags_add(struct wtl_run_flags *flags,
                      const struct wtl_result_flag *own,
                      size_t count,
                      const char *node);
/* One of the run, which is about so many nodes; 0 or -ENOMEM. */
int wtl_run_flags_say(struct wtl_run_flags *flags,
                      size_t nodes,
                      const char *name,
                      const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
void wtl_run_flags_fini(struct wtl_run_flags *flags);

#endif
