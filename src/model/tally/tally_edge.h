/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edge: what the edges beside a border of the window, and the polls and samples next to it, tell of the ticks that the counter had
 * there. Values are in ticks since the tally's first sample, times in nanoseconds, powers in ticks per nanosecond.
 */
#ifndef WTL_MODEL_TALLY_EDGE_H
#define WTL_MODEL_TALLY_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/tally/tally_state.h"

/* Edges farther apart than so many refreshes are not neighbours, or the refresh is not the claimed one. */
static const double SPACED = 3;

/* Half width of a 95 % interval in standard deviations. */
static const double Z95 = 1.96;

/* Ticks at a border of the window, and the standard deviation of that figure in ticks. */
struct wtl_border {
    double value, sd;
    double below, above; /* how far it may lie from that at most, where that is certain, else 0 */
};

/* The time of a border. */
double wtl_border_at_ns(const struct wtl_tally *tally, bool before);
/* Mean power between two edges; ticks per nanosecond. */
double wtl_border_power(const struct wtl_edge *a, const struct wtl_edge *b);
/* How far ticks are apart, on the average of one side; which edges are neighbours is known by both. */
double wtl_border_tick_ns(const struct wtl_tally *tally, bool before);
/* Variance of an edge's value at this power. */
double wtl_border_edge_variance(const struct wtl_edge *edge, double power);
/* Another way arrives `apart` ticks from this border, which has the variance `noise`: where it is more than that, the interval
 * reaches over both. */
struct wtl_border wtl_border_spanning(struct wtl_border border, double apart, double noise);
/* By the edges that polls saw on its side. An sd of infinity: there are none. */
struct wtl_border wtl_border_by_polls(const struct wtl_tally *tally, bool before);

/* The edge nearest to a border, when it is that of the tick next to it; else NULL. */
const struct wtl_edge *wtl_border_edge_near(const struct wtl_tally *tally, bool before);
/* Between two samples; the counter's last tick lies up to one refresh before either. */
struct wtl_border wtl_border_by_line(const struct wtl_tally *tally,
                                     struct wtl_point a,
                                     struct wtl_point b,
                                     uint64_t time_ns);

/* Ticks by ns from the first sample that counts to the last, without the time whose ticks are lost. */
double wtl_tally_mean_slope(const struct wtl_tally *tally);
/* The greatest that was seen, just before the start included: afterwards it may never have counted as it should. */
double wtl_tally_greatest_slope(const struct wtl_tally *tally);

/* How old a value that is shown may be. */
double wtl_tally_staleness_ns(const struct wtl_tally *tally);
/* How far a value may lag behind the time of its sample, as a standard deviation in ticks. */
double wtl_tally_lag_sd(const struct wtl_tally *tally);

#endif
