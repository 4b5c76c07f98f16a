/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edge: what the edges next to a border of the window, and the polls and samples there, say about the
 * counter's value at the border. Values are in ticks since the tally's first sample, times in nanoseconds,
 * powers in ticks per nanosecond.
 */
#ifndef WTL_MODEL_TALLY_EDGE_H
#define WTL_MODEL_TALLY_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/tally/tally_state.h"

/* Edges more than this many refreshes apart are not adjacent, or the refresh is not the claimed one. */
static const double SPACED = 3;

/* Half width of a 95 % interval in standard deviations. */
static const double Z95 = 1.96;

/* Ticks at a border of the window, and their standard deviation in ticks. */
struct wtl_border {
    double value, sd;
    double below, above; /* maximum distance from value, if certain, else 0 */
};

/* The time of a border, since the tally's first sample. */
double wtl_border_at_ns(const struct wtl_tally *tally, bool before);
/* Mean power between two edges; ticks per nanosecond. */
double wtl_border_power(const struct wtl_edge *a, const struct wtl_edge *b);
/* The mean distance between ticks on one side; which edges are adjacent is determined from both sides. */
double wtl_border_tick_ns(const struct wtl_tally *tally, bool before);
/* Variance of an edge's value at this power. */
double wtl_border_edge_variance(const struct wtl_tally *tally,
                                const struct wtl_edge *edge,
                                double power);
/* Another method gives a value `apart` ticks from this border, and their difference has the variance
 * `noise`: if it is larger than that explains, the interval is widened to cover both. */
struct wtl_border wtl_border_spanning(struct wtl_border border, double apart, double noise);
/* From the edges that polls saw on its side, and the polls themselves. sd is infinite if there are none. */
struct wtl_border wtl_border_by_polls(const struct wtl_tally *tally, bool before);

/* The edge nearest to a border if it is the tick next to it; else NULL. */
const struct wtl_edge *wtl_border_edge_near(const struct wtl_tally *tally, bool before);
/* When the tick came whose value a stand shows. */
struct wtl_between wtl_stand_tick(const struct wtl_tally *tally, const struct wtl_stand *stand);
/* What was used up to a sample: its value is that of the counter's last tick, half a refresh ago on average. */
double wtl_tally_at_sample(const struct wtl_tally *tally, struct wtl_point sample, bool before);
/* The same between two samples, interpolated. */
struct wtl_border wtl_border_by_line(const struct wtl_tally *tally,
                                     struct wtl_point a,
                                     struct wtl_point b,
                                     bool before);

/* Ticks per ns from the first sample that counts to the last, without the time whose ticks are lost. */
double wtl_tally_mean_slope(const struct wtl_tally *tally);
/* The maximum rate observed, including just before the start: afterwards it may never have counted correctly. */
double wtl_tally_greatest_slope(const struct wtl_tally *tally);

/* Maximum age of a value that is shown. */
double wtl_tally_staleness_ns(const struct wtl_tally *tally);
/* How far a value may lag behind the time of its sample, as a standard deviation in ticks. */
double wtl_tally_lag_sd(const struct wtl_tally *tally);

#endif
