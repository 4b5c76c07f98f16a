/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profile: the energy of one channel as a function of time, from its samples: E(t) is known at
 * knots, with the time of each knot and how well that time is known. Between two knots lies a step.
 *
 * A counter shows the energy at its last tick, not at the sample's time. Sampled faster than about
 * three ticks, the knots are the ticks themselves, found by the tick grid (grid.h); where a sample
 * does not tell which of two ticks it shows, no knot is made and the step is longer. Sampled more
 * slowly, or when no grid explains the samples, a knot lies half a tick before its sample, with the
 * tick as its uncertainty. A counter that ticks slowly (bound.h) and is sampled more often than that has no grid: each knot lies between
 * two samples, and there is none where it shows the same. Gauges and window averages have a knot at each sample.
 *
 * Streaming: samples in, steps out by a callback some samples and up to two steps later; about 17 KiB, no allocation.
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

#define WTL_PROFILE_RING  512 /* samples held back while the grid is looked for */
#define WTL_PROFILE_AHEAD 5   /* samples needed after one before its knot is made */

struct wtl_profile_sample {
    uint64_t time_ns;
    uint64_t value;
    bool edge, after_gap, after_unknown;
};

/* Caller's storage. */
struct wtl_profile {
    struct wtl_catch_up out; /* steps go through it */
    struct wattle_channel channel;
    struct wtl_profile_sample ring[WTL_PROFILE_RING];
    uint64_t read, filled;      /* running numbers of samples: knots made, samples taken */
    uint64_t first_ns, last_ns; /* of the samples taken */
    bool locked, failed;        /* there is a grid; none was found for these samples */
    double period_found_ns;     /* of an earlier grid; 0 = none */
    struct wtl_grid grid;
    uint64_t grid_origin_ns; /* of the grid's times */
    double misfits;          /* samples lately that the grid does not explain */
    uint64_t knot_sample_ns; /* the first sample that showed the last knot */
    uint64_t shown_ns;       /* the last one that showed it again; 0 = none did */
    bool has_knot, seen;     /* seen: the counter grew up to the knot */
    uint64_t knot_ns, knot_value;
    float knot_sd_ns;
    double knot_energy_j; /* of gauges, cumulated */
    unsigned flags;       /* for the next step */
    double interval_ns;   /* between samples, lately */
    struct wtl_scatter scatter;
};

/* 0, or -EINVAL when the channel is neither of energy nor of power. The profile must not move afterwards. */
int wtl_profile_init(struct wtl_profile *profile,
                     const struct wattle_channel *channel,
                     wtl_step_fn emit,
                     void *context);

/* A good sample; times rise (an earlier one is ignored). edge: it is one of a row of polls in search
 * of a tick; where two such follow each other closely and differ, the tick came between them. */
void wtl_profile_sample(struct wtl_profile *profile, uint64_t time_ns, uint64_t value, bool edge);

/* The next sample comes after a gap; known: it loses no energy (gap.h). */
void wtl_profile_gap(struct wtl_profile *profile, bool known);

/* No more samples: the last steps. */
void wtl_profile_flush(struct wtl_profile *profile);

#endif
