/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a tally (tally.h), for its implementation files. */
#ifndef WTL_MODEL_TALLY_STATE_H
#define WTL_MODEL_TALLY_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/gap.h"
#include "model/gauge/quantum.h"
#include "model/pace.h"

#define WTL_TALLY_STEPS 8  /* new values kept */
#define WTL_TALLY_EDGES 4  /* edges kept on each side of the window */
#define WTL_TALLY_SHARP 3  /* a pair of polls farther apart than 2/3 of a refresh shows no edge */
#define WTL_TALLY_EARLY 8  /* samples within this many refreshes of the start are kept */
#define WTL_TALLY_CLOSE 16 /* a sample within this part of a refresh shows the value at a border */
#define WTL_TALLY_FAR   64 /* over this many refreshes one tick hardly changes the power */
#define WTL_TALLY_TIMED \
    4 /* power between two ticks is known if they are this many times what their times may be off apart */

struct wtl_point {
    uint64_t time_ns;
    double value; /* ticks since the tally's first sample; gauges: the value in its unit */
};

/* A sample whose value had grown since the one before it. */
struct wtl_grown {
    struct wtl_point at;
    uint64_t before_ns; /* the previous sample; 0 = none */
    double left_out;    /* part of its growth already included in `unplaced` */
};

struct wtl_edge {
    double time_ns;  /* since the tally's first sample */
    double value;    /* ticks since the tally's first sample, shown from this edge on */
    double width_ns; /* half the time between the two polls that enclose it, or in which it may
                        be */
};

/* A counter shows the same value from one sample to another, and then a larger one. */
struct wtl_stand {
    struct wtl_point from, to; /* first and last sample of that value */
    uint64_t before_ns;        /* the sample before these; 0 = none */
    double grown;              /* growth from that sample to these */
    bool failed;               /* reads failed before the next one */
    bool lost;                 /* preceded by a gap that lost energy */
    struct wtl_point next;     /* the first sample of another value; time 0 = none yet */
};

/* The value of a counter at a border of the window, and that of a later tick: see note_update(). */
struct wtl_update {
    struct wtl_stand shown;
    uint64_t last_ns;      /* the last sample before that one */
    struct wtl_point next; /* time 0 = none yet */
    struct wtl_grown
        beyond; /* at the start: the first new value that tells the power after it; time 0 = none */
};

/* Power over the stretches of the window. */
struct wtl_tally_power {
    uint64_t count;
    double last, sum, square, min, max;
    struct wtl_point
        opened; /* the end of the first one, if it began with the first sample of the window; time 0 = it did not */
    struct wtl_point closed_from; /* the begin of the latest one */
};

/* Caller's storage; about 3 kB, no allocation. */
struct wtl_tally {
    struct wattle_channel channel;
    uint64_t origin_ns, origin_value, stat_window_ns;
    struct wtl_edge before[WTL_TALLY_EDGES]; /* the last ones up to the start, oldest first */
    struct wtl_edge after[WTL_TALLY_EDGES];  /* the first ones from the end on */
    unsigned before_count, after_count;
    double tick_value; /* value of the counter up to after[0] */
    struct wtl_edge shown
        [2]; /* from the polls next to the start and to the end: the last tick, as far as known */
    double shown_from_ns, shown_until_ns; /* first and last poll after the end that showed
                                             shown[1] */
    struct wtl_point last, previous;      /* the last two good samples */
    struct wtl_point ahead;               /* last good sample at or before the start */
    struct wtl_point first_in;            /* first good sample after the start */
    struct wtl_point last_in;             /* last good sample at or before the end */
    struct wtl_point behind;              /* first good sample after the end */
    struct wtl_point recent[2]; /* samples in the window, 64 refreshes apart; time 0 = none */
    struct wtl_point early[WTL_TALLY_EARLY]; /* the first ones after the start, if within
                                                WTL_TALLY_EARLY refreshes */
    unsigned early_count;
    struct wtl_point later;   /* the first sample 64 refreshes after the start or later; time 0 =
                                 none */
    struct wtl_pace pace;     /* of the samples without polls */
    struct wtl_polled polled; /* times only, of the polls before the start */
    uint64_t poll_stood_ns;   /* longest time in which polls next to a border saw no update */
    struct wtl_point segment; /* start of the present stretch */
    struct wtl_point renewed; /* first new value in it; time 0 = none yet */
    struct wtl_stand stand, stand_in, stand_out; /* the present one; those at the borders */
    struct wtl_update update_in, update_out;     /* at the borders */
    unsigned has;                                /* bit for each of the points above that is set */
    bool started, ended, last_is_edge, broken;   /* broken: a gap since the last good sample */
    bool was_slow; /* at the latest sample in the window; see note_slow() */
    uint64_t start_ns, end_ns;
    double integral, integral_last;   /* of a gauge over the window; part of its last interval */
    double variance;                  /* of the integral, due to the time between samples */
    struct wtl_quantum quantum;       /* of its values */
    uint64_t weight_ns;               /* time covered by the integral */
    double missed_ns, missed_last_ns; /* the part of it that no window saw; of its last interval */
    struct wtl_tally_power power;     /* of the window so far ... */
    struct wtl_tally_power power_before, power_grown; /* ... just before and at the latest growth */
    uint64_t ahead_samples;                           /* before the start, without polls */
    uint64_t samples, stale, gaps, first_ns;
    struct wtl_cover in_gaps, lost;        /* in the window; lost: without energy */
    uint64_t lost_ahead_ns, lost_until_ns; /* part of unknown_ns before first_in; end of the last
                                              loss */
    uint64_t failed_until_ns;              /* end of the last gap that lost no energy */
    uint64_t losses;                       /* gaps that lost energy, of a counter */
    bool start_lost, end_lost; /* one of these covers the start, the end; ticks stood still */
    double leaps;        /* squares of growth that may belong to the time before; see end_stand() */
    uint64_t stopped_ns; /* duration of these, from `ahead` to the last sample, also outside the
                            window */
    uint64_t stops_ns;   /* the same after the last sample */
    struct wtl_grown steps[WTL_TALLY_STEPS]; /* the latest samples with a changed value */
    struct wtl_tally_power power_until[WTL_TALLY_STEPS]; /* before each of them */
    unsigned step_count;
    double counted_from, counted_to; /* between these values energy counts ... */
    double unplaced;   /* ... except this much, counted while it was lost; see leave_out() */
    double taken_back; /* the part of it that earlier summaries had */
    double spaced_from_ns, slow_ns;      /* last edge whose next one could be seen; see
                                            note_spacing() */
    uint64_t grown_from_ns, grows_in_ns; /* see note_growth(); grows_in_ns 0 = not seen */
    double step;                         /* largest growth after a standstill; see note_growth() */
    double surge;                        /* maximum power between two samples; see note_surge() */
    uint32_t gap_reasons;
};

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

/* The channel, with the refresh that its samples show (pace.h). */
static inline struct wattle_channel wtl_tally_channel(const struct wtl_tally *tally)
{
    struct wattle_channel channel = tally->channel;
    channel.refresh_ns = wtl_pace_refresh_ns(&tally->pace, &channel);
    return channel;
}

/* Whether its samples show that it updates more slowly than it claims. */
static inline bool wtl_tally_is_slow(const struct wtl_tally *tally)
{
    return tally->channel.refresh_ns > 0 &&
           wtl_pace_refresh_ns(&tally->pace, &tally->channel) > tally->channel.refresh_ns;
}

/* The refresh for stretches of power: the one that its samples and the polls before the start show. */
static inline uint64_t wtl_tally_stretch_refresh_ns(const struct wtl_tally *tally)
{
    return wtl_pace_polled_refresh_ns(&tally->pace, &tally->polled, &tally->channel);
}

/* A tick came at some time between these two, since the tally's first sample. */
struct wtl_between {
    double low_ns, high_ns;
};

static inline double wtl_middle_ns(struct wtl_between tick)
{
    return (tick.low_ns + tick.high_ns) / 2;
}

/* Whether two ticks are so far apart that the power between them is known. */
static inline bool wtl_are_timed(struct wtl_between a, struct wtl_between b)
{
    double unsure_ns = hypot(a.high_ns - a.low_ns, b.high_ns - b.low_ns);
    return wtl_middle_ns(b) - wtl_middle_ns(a) >= WTL_TALLY_TIMED * unsure_ns;
}

static inline double wtl_since_origin(const struct wtl_tally *tally, uint64_t time_ns)
{
    return (double)(int64_t)(time_ns - tally->origin_ns);
}

/* When the tick of a new value came. */
static inline struct wtl_between wtl_tick_between(const struct wtl_tally *tally,
                                                  uint64_t before_ns,
                                                  uint64_t at_ns)
{
    double high_ns = wtl_since_origin(tally, at_ns);
    double low_ns =
        fmax(wtl_since_origin(tally, before_ns), high_ns - (double)tally->channel.refresh_ns);
    return (struct wtl_between){low_ns, high_ns};
}

/* The value at a time on the line through two points. */
static inline double wtl_line_at(struct wtl_point a, struct wtl_point b, uint64_t time_ns)
{
    if (b.time_ns == a.time_ns)
        return b.value;
    double part = (double)(int64_t)(time_ns - a.time_ns) / (double)(int64_t)(b.time_ns - a.time_ns);
    return a.value + (b.value - a.value) * part;
}

#endif
