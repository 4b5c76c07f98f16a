/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Border: how many ticks a counter had at the start or at the end of the window, and how sure that is.
 * tally.h has the method and keeps the points and edges that this is computed from; only the tally asks, and
 * its two questions about borders (wtl_tally_jump_w, wtl_tally_edges_lost) are answered in the same file. Values
 * are in ticks since the tally's first sample, times in nanoseconds, powers in ticks per nanosecond.
 */
#ifndef WTL_MODEL_TALLY_BORDER_H
#define WTL_MODEL_TALLY_BORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/tally/tally.h"

/* Which of its points a tally has: the bits of wtl_tally.has. */
enum {
    HAS_LAST = 1,
    HAS_PREVIOUS = 2,
    HAS_AHEAD = 4,
    HAS_FIRST_IN = 8,
    HAS_LAST_IN = 16,
    HAS_BEHIND = 32,
    HAS_SEGMENT = 64,
    HAS_SHOWN_START = 128,
    HAS_SHOWN_END = 256
};

/* Edges farther apart than so many refreshes are not neighbours, or the refresh is not the claimed one. */
static const double SPACED = 3;

/* Half width of a 95 % interval in standard deviations. */
static const double Z95 = 1.96;

/* Ticks at a border of the window, and the standard deviation of that figure in ticks. */
struct wtl_border {
    double value, sd;
    double below, above; /* how far it may lie from that at most, where that is certain, else 0 */
};

/* At the start and at the end of the window, of a counter that was sampled. */
struct wtl_border wtl_tally_start_border(const struct wtl_tally *tally);
struct wtl_border wtl_tally_end_border(const struct wtl_tally *tally);

/* ---- of tally_border.c and tally_doubt.c ---- */

/* The time of a border. */
double wtl_border_at_ns(const struct wtl_tally *tally, bool before);
/* Mean power between two edges; ticks per nanosecond. */
double wtl_border_power(const struct wtl_edge *a, const struct wtl_edge *b);
/* Variance of an edge's value at this power. */
double wtl_border_edge_variance(const struct wtl_edge *edge, double power);
/* Another way arrives `apart` ticks from this border, which has the variance `noise`: where it is more than that, the interval
 * reaches over both. */
struct wtl_border wtl_border_spanning(struct wtl_border border, double apart, double noise);
/* By the edges that polls saw on its side. An sd of infinity: there are none. */
struct wtl_border wtl_border_by_polls(const struct wtl_tally *tally, bool before);

/* Does it stand still in this stand, though its domain always draws power? Then it may have stalled, and what it
 * shows is of some time before. */
bool wtl_tally_stands(const struct wtl_tally *tally, const struct wtl_stand *stand);

/* After a loss it shows the value of this stand, and then more than its greatest power explains: it had not counted on yet. */
bool wtl_tally_leaps(const struct wtl_tally *tally,
                     const struct wtl_stand *stand,
                     struct wtl_point now);

/* How far a value may lag behind the time of its sample, as a standard deviation in ticks. */
double wtl_tally_lag_sd(const struct wtl_tally *tally);

/* The value at a time on the line through two points. */
static inline double wtl_line_at(struct wtl_point a, struct wtl_point b, uint64_t time_ns)
{
    if (b.time_ns == a.time_ns)
        return b.value;
    double part = (double)(int64_t)(time_ns - a.time_ns) / (double)(int64_t)(b.time_ns - a.time_ns);
    return a.value + (b.value - a.value) * part;
}

#endif
