/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tally: one channel's samples, one after the other, into its summary over the window of a
 * measurement: energy with interval, mean, extremes, gaps. The same code serves the live result of
 * "wattle run", the footer of the trace and "wattle repair", so the three cannot disagree.
 *
 * Values of counters are unwrapped ticks since the channel's first reading; values of gauges and
 * window averages are the raw reading. Times are CLOCK_MONOTONIC and rise.
 *
 * Energy of a counter over [t0, t1]. Its value at time t is only known at its ticks. An edge is a
 * tick whose time is known, since the sampler polled until the value changed. With two edges
 * at or before t0, the power before extrapolates from the last of them to t0; with two edges at or
 * after t1, the power after extrapolates back from the first of them to t1: this splits the tick
 * at each border (Haehnel et al. 2012 wait for edges; the split is ours). Without edges, linear
 * interpolation between the neighbouring samples, with the tick in the interval.
 * Energy of a gauge: trapezoid between samples; of a window average: its value held over the
 * window before the sample.
 */
#ifndef WTL_MODEL_TALLY_H
#define WTL_MODEL_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/gap.h"

/* The summary of a channel over the window. Energy fields are meaningful for energy and power
 * channels only; for the others mean, min and max are of the value itself. Unknown = NaN. */
struct wtl_summary {
    double energy_j;              /* over the window; NaN when gaps leave it unknown */
    double resolution_interval_j; /* half width, 95 %, from ticks, timing and gaps */
    double mean_w;                /* energy / window; other quantities: time-weighted mean */
    double min_w, max_w, sd_w;    /* over stretches of at least stat_window_ns */
    double last_w;           /* of the last such stretch: what a display shows; not in footers */
    uint64_t stat_window_ns; /* wtl_channel_stretch_ns() */
    uint64_t samples;        /* good ones inside the window */
    uint64_t stale;          /* of these, repeats of an unchanged counter */
    uint64_t gaps;
    uint64_t gap_ns;      /* time in gaps inside the window */
    uint64_t unknown_ns;  /* of it, what energy_j does not cover: resets, lost wraps, stalls */
    uint32_t gap_reasons; /* bit r = enum wtl_gap_reason r occurred */
    uint64_t first_ns, last_ns;       /* good samples, in and out of the window */
    uint64_t first_value, last_value; /* ticks at the ends of the window, interpolated; gauges:
                                         the raw value there */
};

#define WTL_TALLY_STEPS 4 /* that are kept */
#define WTL_TALLY_EDGES 4 /* edges kept on each side of the window */
#define WTL_TALLY_SHARP 3 /* a pair of polls farther apart than 2/3 of a refresh shows no edge */
#define WTL_TALLY_EARLY 8 /* samples within so many refreshes of the start are kept */
#define WTL_TALLY_CLOSE \
    16 /* a sample within this part of a refresh shows what was shown at a border */
#define WTL_TALLY_FAR 64 /* over so many refreshes a tick more or less makes little of the power */

struct wtl_point {
    uint64_t time_ns;
    double value; /* ticks since the tally's first sample; gauges: the value in its unit */
};

struct wtl_edge {
    double time_ns; /* since the tally's first sample */
    double value;   /* ticks since the tally's first sample, as shown from this edge on */
    double
        width_ns; /* half of the time between the two polls that enclose it, or that it may lie in */
};

/* A counter shows the same value from one sample to another, and then more. */
struct wtl_stand {
    struct wtl_point from, to; /* first and last sample of that value */
    uint64_t before_ns;        /* the sample before these; 0 = there was none */
    double grown;              /* from that one to these */
    bool failed;               /* reads failed before the next one */
    bool lost;                 /* a gap that lost energy came before them */
    struct wtl_point next;     /* the first sample of another one; time 0 = none came */
};

/* What a counter showed at a border of the window, and the first value that is surely of a tick behind it. */
struct wtl_update {
    struct wtl_stand shown;
    uint64_t last_ns;      /* the last sample before that one */
    struct wtl_point next; /* time 0 = none came yet */
};

/* Power over the stretches of the window. */
struct wtl_tally_power {
    uint64_t count;
    double last, sum, square, min, max;
    double brief_min, brief_max; /* what ticks leave certain over a few of them; see take_brief() */
};

/* Caller's storage; some 2 kB, no allocation. */
struct wtl_tally {
    struct wattle_channel channel;
    uint64_t origin_ns, origin_value, stat_window_ns;
    struct wtl_edge before[WTL_TALLY_EDGES]; /* the last ones up to the start, oldest first */
    struct wtl_edge after[WTL_TALLY_EDGES];  /* the first ones from the end on */
    unsigned before_count, after_count;
    double tick_value; /* what the counter showed up to after[0] */
    struct wtl_edge shown
        [2]; /* by the polls next to the start and to the end: the last tick, as far as it is known */
    double shown_from_ns,
        shown_until_ns;              /* first and last poll behind the end that showed shown[1] */
    struct wtl_point last, previous; /* the last two good samples */
    struct wtl_point ahead;          /* last good sample at or before the start */
    struct wtl_point first_in;       /* first good sample after the start */
    struct wtl_point last_in;        /* last good sample at or before the end */
    struct wtl_point behind;         /* first good sample after the end */
    struct wtl_point recent[2];      /* samples in the window, 64 refreshes apart; time 0 = none */
    struct wtl_point early[WTL_TALLY_EARLY]; /* the first ones after the start, if they came soon */
    unsigned early_count;
    struct wtl_point
        later; /* the first sample 64 refreshes after the start or later; time 0 = none */
    struct wtl_point segment; /* start of the stretch whose power is being taken */
    struct wtl_point brief;   /* and of the brief one */
    struct wtl_stand stand, stand_in, stand_out; /* the present one; those at the borders */
    struct wtl_update update_in, update_out;     /* at the borders */
    unsigned has;                                /* bit for each of the points above that is set */
    bool started, ended, last_is_edge, broken;   /* broken: a gap since the last good sample */
    uint64_t start_ns, end_ns;
    double integral, integral_last; /* of a gauge over the window; its last stretch's part */
    double variance;                /* of the integral, from what lies between samples */
    uint64_t weight_ns;             /* time that the integral covers */
    struct wtl_tally_power power;   /* of the window so far ... */
    struct wtl_tally_power power_before, power_grown; /* ... just before and at the newest growth */
    uint64_t ahead_samples;                           /* before the start, but for polls */
    uint64_t samples, stale, gaps, first_ns;
    struct wtl_cover in_gaps, lost;        /* of the window; lost: without energy */
    uint64_t lost_ahead_ns, lost_until_ns; /* of unknown_ns: before first_in; its last end */
    uint64_t failed_until_ns;              /* end of the last gap that lost no energy */
    uint64_t losses;                       /* gaps that lost energy, of a counter */
    bool start_lost, end_lost; /* one of these lies over the start, the end; ticks stood */
    double leaps;        /* squares of growth that may be of the time before; see end_stand() */
    uint64_t stopped_ns; /* in these, from `ahead` to the last sample, also outside of the window */
    uint64_t stops_ns;   /* and from there on */
    struct wtl_point steps[WTL_TALLY_STEPS]; /* the latest samples with another value than before */
    unsigned step_count;
    uint64_t step_before_ns;         /* the sample before the newest of them */
    double counted_from, counted_to; /* between these values energy counts ... */
    double unplaced; /* ... but for this much: counted while it was lost; see leave_out() */
    double spaced_from_ns, slow_ns;      /* last edge with its next in sight; see note_spacing() */
    uint64_t grown_from_ns, grows_in_ns; /* see note_growth(); grows_in_ns 0 = not seen */
    double step;                         /* largest growth behind a standstill; see note_growth() */
    double surge;                        /* greatest power between two samples; see note_surge() */
    uint32_t gap_reasons;
};

void wtl_tally_init(struct wtl_tally *tally, const struct wattle_channel *channel);

/*
 * A good sample. edge: it is one of a row of polls in search of the counter's tick; where two such
 * samples in succession differ, the tick lies between them.
 */
void wtl_tally_sample(struct wtl_tally *tally, uint64_t time_ns, uint64_t value, bool edge);

/* A gap between the last good sample and the next. */
void wtl_tally_gap(struct wtl_tally *tally, const struct wtl_gap *gap);

/* The borders of the window; begin is called when the samples before it are in, end likewise. A
 * tally that is never told begins with its first sample and ends with its last. */
void wtl_tally_begin(struct wtl_tally *tally, uint64_t start_ns);
void wtl_tally_end(struct wtl_tally *tally, uint64_t end_ns);

/* By how many watts the mean power of the window differs from the power beside it, as edges show that: the sum of both
 * borders. NaN without two edges at each. After the end. */
double wtl_tally_jump_w(const struct wtl_tally *tally);

/* Polls were made in vain: the tick next to the start or the end was not seen, and for that the interval is wider than
 * 2 ticks. After the end. */
bool wtl_tally_edges_lost(const struct wtl_tally *tally);

/* The summary of what came in so far. Does not change the tally. */
void wtl_tally_summary(const struct wtl_tally *tally, struct wtl_summary *ret_summary);

#endif
