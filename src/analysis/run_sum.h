/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over the nodes of a run: one rule for reduce, stats, compare and the report.
 *
 * The errors of what was measured come from ticks and timing and are independent from node to node: half widths add as
 * squares. Those of estimates come from one model, which is wrong in the same way everywhere: their ranges add whole.
 * Estimates and measurements are two sums that are never added to each other.
 *
 * A sum of which a node is not known is not known: energy_j is NaN, and known_j says how much the others have, which the sum is
 * at least. So a part is never taken for the whole.
 */
#ifndef WTL_ANALYSIS_RUN_SUM_H
#define WTL_ANALYSIS_RUN_SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

/* A number of each node: who has least, most, and stands in the middle (the lower of two). Nodes by their number
 * in the run. */
struct wtl_run_spread {
    size_t nodes;                      /* with a known value; 0: the rest means nothing */
    double min, median, max, mean, sd; /* sd: NaN below two nodes */
    size_t min_node, median_node, max_node;
};

/* What a node gives to a sum. */
struct wtl_run_addend {
    double energy_j, half_j; /* NaN: not known */
    double low_j, high_j;    /* of an estimate: 95 % of the truth */
    double time_s;           /* that mean power is over; 0: the sum is over a time of its own */
    double unknown_s;        /* whose energy energy_j leaves out */
    double full_j;           /* with that, as if it was like the known time; needed only there */
    bool estimated, simulated, derived;
};

/* Over nodes, of one sort: measured (and derived), or estimated. Zeroed at first. */
struct wtl_run_sum {
    size_t nodes;   /* that are known */
    size_t unknown; /* that would be in it, but for a value that is not known */
    bool simulated, derived;
    double energy_j, half_j; /* 95 %; NaN: a node is unknown, or no node has it */
    double low_j, high_j;    /* estimated: 95 % of the truth; else NaN */
    double known_j;          /* of the nodes that are known; NaN: none */
    double unknown_s;        /* whose energy is left out: the longest of a node */
    double full_j;           /* energy_j, and with it that time as if it was like the known */
    size_t partial;          /* nodes of the known with such a time */
    double mean_w; /* NaN: over no time, or not known; unknown time counts like the node's known */
    struct wtl_run_spread per; /* energy of a node that is known */
    /* While it is made. */
    double squares, whole, time_s;
    struct wtl_run_value *values;
    size_t capacity;
};

/* 0 or -ENOMEM. */
int wtl_run_sum_add(struct wtl_run_sum *sum, const struct wtl_run_addend *share, size_t node);
/* Once all have been added, or to give it up. whole: half widths hold the error of a model, and add whole. time_s: that mean
 * power is over; 0: over the mean of the addends' times. */
void wtl_run_sum_close(struct wtl_run_sum *sum, bool whole, double time_s);

/* Of a sum of estimates, or of what was measured and derived: the weakest. */
enum wattle_quality wtl_run_sum_quality(const struct wtl_run_sum *sum, bool estimated);

/* The spread of numbers that are no energy, such as times. */
int wtl_run_spread_add(struct wtl_run_sum *sum, double value, size_t node);

/* A flag of nodes' results, once. */
struct wtl_run_flag {
    const char *name, *text; /* of the first of them; borrowed */
    size_t nodes, first;     /* how many; number of the first */
};

struct wtl_run_flags {
    struct wtl_run_flag *items; /* owned */
    size_t count;
};

/* One node's; 0 or -ENOMEM. */
int wtl_run_flags_add(struct wtl_run_flags *flags,
                      const struct wtl_result_flag *own,
                      size_t count,
                      size_t node);
void wtl_run_flags_fini(struct wtl_run_flags *flags);

#endif
