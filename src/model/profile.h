/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profile: the energy of one channel as a function of time, from its samples. E(t) is known at knots, with
 * the time of each knot and the accuracy of that time. A step is the interval between two knots.
 *
 * A counter shows the energy at its last tick, not at the time of the sample. If it is sampled at least about
 * every three ticks, the knots are the ticks themselves, found by the tick grid (grid.h); where a sample may
 * show either of two ticks, no knot is made and the step is longer. If it is sampled more slowly, or when no
 * grid explains the samples, a knot is half a tick before its sample, with the tick as its uncertainty. A
 * counter that ticks slowly (bound.h) and is sampled faster than it ticks has no grid: each knot is between
 * two samples, and none while the value is unchanged. Gauges and window averages have a knot at each
 * sample.
 *
 * Streaming: samples in, steps out through a callback some samples and up to two steps later; about 17 KiB,
 * no allocation.
 */
#ifndef WTL_MODEL_PROFILE_H
#define WTL_MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/catch_up.h"
#include "model/grid.h"
#include "model/statistics/scatter.h"
#include "model/step.h"

#define WTL_PROFILE_RING  512 /* samples held back while the grid is being searched for */
#define WTL_PROFILE_AHEAD 5   /* samples needed after one before its knot is made */

struct wtl_profile_sample {
    uint64_t time_ns;
    uint64_t value;
    bool edge, after_gap, after_unknown;
};

/* Caller's storage. */
struct wtl_profile {
    struct wtl_catch_up out; /* steps pass through it */
    struct wattle_channel channel;
    struct wtl_profile_sample ring[WTL_PROFILE_RING];
    uint64_t read, filled;      /* sequence numbers of samples: knots made, samples taken */
    uint64_t first_ns, last_ns; /* of the samples received */
    bool locked, failed;        /* a grid is in use; none was found for these samples */
    double period_found_ns;     /* of an earlier grid; 0 = none */
    struct wtl_grid grid;
    uint64_t grid_origin_ns; /* of the grid's times */
    double misfits;          /* recent samples that the grid does not explain */
    uint64_t knot_sample_ns; /* first sample that showed the last knot */
    uint64_t shown_ns;       /* last sample that showed it again; 0 = none */
    bool has_knot, seen;     /* seen: the counter grew up to the knot */
    bool off_grid;           /* the knot is not a tick of the grid */
    uint64_t knot_ns, knot_value;
    float knot_sd_ns;
    double knot_energy_j; /* cumulative, for gauges */
    unsigned flags;       /* for the next step */
    double interval_ns;   /* recent interval between samples */
    struct wtl_scatter scatter;
};

/* 0, or -EINVAL when the channel is neither energy nor power. The profile must not be moved afterwards. */
int wtl_profile_init(struct wtl_profile *profile,
                     const struct wattle_channel *channel,
                     wtl_step_fn emit,
                     void *context);

/* Add a good sample; times must increase (earlier ones are ignored). edge: it is one of a series of polls
 * for a tick; if two of these closely follow each other and differ, the tick came between them. */
void wtl_profile_sample(struct wtl_profile *profile, uint64_t time_ns, uint64_t value, bool edge);

/* The next sample comes after a gap; known: it loses no energy (gap.h). */
void wtl_profile_gap(struct wtl_profile *profile, bool known);

/* No more samples: the last steps. */
void wtl_profile_flush(struct wtl_profile *profile);

#endif
