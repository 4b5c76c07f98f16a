/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tally: turns one channel's samples, one by one, into its summary over the measurement window: energy with
 * interval, mean, extremes, gaps. The same code is used for the live result of "wattle run", the footer of
 * the trace and "wattle repair", so that the three always agree.
 *
 * Values of counters are unwrapped ticks since the channel's first reading; values of gauges and window
 * averages are the raw reading. Times are CLOCK_MONOTONIC and increasing.
 *
 * Energy of a counter over [t0, t1]. Its value at time t is only known at its ticks. An edge is a tick at a
 * known time, because the sampler polled until the value changed. With two edges at or before t0, the power
 * before is extrapolated from the last of them to t0; with two edges at or after t1, the power after is
 * extrapolated back from the first of them to t1: this divides the tick at each border (Haehnel et al. 2012
 * wait for edges; the division is ours). Without edges: linear interpolation between the neighbouring
 * samples, with one tick included in the interval.
 * Energy of a gauge: trapezoids between samples; of a window average: its value over the window before the
 * sample.
 */
#ifndef WTL_MODEL_TALLY_H
#define WTL_MODEL_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/gap.h"
#include "model/tally/tally_state.h"

/*
 * The summary of a channel over the window. The amount is what a counter counted, in its unit (J, s of CPU,
 * instructions), or the integral of a gauge over time (J for a power). mean_w, min_w and max_w are in W for
 * energy and power channels, otherwise in the unit of the value. Unknown = NaN.
 */
struct wtl_summary {
    double amount;             /* over the window; NaN when gaps leave it unknown */
    double amount_half;        /* its half width, 95 %, from ticks, timing and gaps */
    double mean_w;             /* energy / window; other quantities: time-weighted mean */
    double min_w, max_w, sd_w; /* over stretches of at least stat_window_ns */
    double last_w;             /* of the last such stretch, for a display; not in footers */
    double
        taken_back; /* of what earlier summaries of the window had in `amount`, so much is in it no more; not in footers */
    uint64_t stat_window_ns; /* wtl_tally_stretch_ns() */
    uint64_t samples;        /* good samples inside the window */
    uint64_t stale;          /* of these, samples of an unchanged counter */
    uint64_t gaps;
    uint64_t gap_ns;      /* time in gaps inside the window, at least unknown_ns */
    uint64_t unknown_ns;  /* the part of it that the amount does not cover: resets, lost wraps,
                             stalls */
    uint32_t gap_reasons; /* bit r = enum wtl_gap_reason r occurred */
    uint64_t first_ns, last_ns;       /* good samples, inside and outside the window */
    uint64_t first_value, last_value; /* ticks at the ends of the window, interpolated; gauges:
                                         the raw value there */
};

void wtl_tally_init(struct wtl_tally *tally, const struct wattle_channel *channel);

/*
 * Add a good sample. edge: it is one of a series of polls for the counter's tick; if two such samples in
 * succession differ, the tick is between them.
 */
void wtl_tally_sample(struct wtl_tally *tally, uint64_t time_ns, uint64_t value, bool edge);

/* A gap between the last good sample and the next. */
void wtl_tally_gap(struct wtl_tally *tally, const struct wtl_gap *gap);

/* The borders of the window; call begin after adding the samples before it, and end likewise. If neither
 * is called, the window starts with the first sample and ends with the last. */
void wtl_tally_begin(struct wtl_tally *tally, uint64_t start_ns);
void wtl_tally_end(struct wtl_tally *tally, uint64_t end_ns);

/* By how many watts the mean power of the window differs from the power outside, according to the edges:
 * the sum over both borders. NaN without two edges at each. Call after the end. */
double wtl_tally_jump_w(const struct wtl_tally *tally);

/* The longest time in which polls next to a border saw no update of a counter that always counts, if that
 * is more than it may be; else 0. */
uint64_t wtl_tally_poll_stood_ns(const struct wtl_tally *tally);

/* The shortest stretch of power: wtl_channel_stretch_ns() for the refresh that samples and the polls before the start show. */
uint64_t wtl_tally_stretch_ns(const struct wtl_tally *tally);

/* Polling failed: the tick next to the start or the end was missed, which made the interval wider than 2
 * ticks. Call after the end. */
bool wtl_tally_edges_lost(const struct wtl_tally *tally);

/* The summary of the samples so far. Does not change the tally. */
void wtl_tally_summary(const struct wtl_tally *tally, struct wtl_summary *ret_summary);

#endif
