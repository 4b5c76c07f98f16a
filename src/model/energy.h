/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An energy with its interval: of a channel, a total, a region, a node, a run. The rules for sums, and for
 * unknown parts of sums, are defined here.
 *
 * Errors of measured values come from ticks and timing, which are independent: half widths add as squares.
 * Errors of estimates come from one model, which is wrong in the same way everywhere: their ranges add
 * linearly. A sum with an unknown part is unknown: j is NaN, and known_j is the sum of the other parts, a
 * lower bound. A part is therefore never mistaken for the whole.
 */
#ifndef WTL_MODEL_ENERGY_H
#define WTL_MODEL_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/channel.h>

struct wtl_energy {
    double j;             /* NaN = unknown */
    double half_j;        /* half width of its 95 % interval: ticks, timing, gaps; NaN = unknown */
    double low_j, high_j; /* for estimates: 95 % interval of the truth, including the error of
                             the model; else NaN */
    double known_j;       /* for a sum: of its known parts; NaN = none, or not a sum */
    double known_half_j;  /* half width of that; NaN or 0 = unknown, or none */
    double
        alike; /* 0 to 1: part of half_j by which other channels of its kind are off in the same direction */
    bool interval_only; /* too short to be resolved: j is the midpoint of its interval */
    bool simulated;
    enum wattle_quality quality; /* for a sum the weakest */
};

struct wtl_energy wtl_energy_unknown(void);

/* Energy on a channel, with the model's range if it is an estimate. */
struct wtl_energy wtl_energy_on(const struct wattle_channel *channel, double j, double half_j);

/* Multiply by a number above 0: "half of it", "per second". */
struct wtl_energy wtl_energy_scaled(const struct wtl_energy *energy, double factor);

/* An energy or power is not below 0; NaN stays. */
static inline double wtl_not_below_0(double value)
{
    return value < 0 ? 0 : value;
}

/* What is true of energy of which a part is missing: at least so much, the lower end of the interval of the rest, not below 0. A half width
 * that is unknown (NaN) bounds nothing: it is taken as 0. */
static inline double wtl_energy_at_least(double known_j, double half_j)
{
    return half_j > 0 ? wtl_not_below_0(known_j - half_j) : known_j;
}

/* Half the interval of the truth: for an estimate including the error of its model, NaN if that is unknown. */
double wtl_energy_half(const struct wtl_energy *energy);

/* The ends of the interval of the truth, not below 0. NaN NaN = unknown. */
void wtl_energy_ends(const struct wtl_energy *energy, double *ret_low, double *ret_high);

/*
 * Give a part of an estimate the range of the whole: a model is wrong by the same factor in both. A part too
 * short for the sampling has the interval of its ticks. Unchanged if it is not an estimate.
 */
void wtl_energy_range_as(struct wtl_energy *part, const struct wtl_energy *whole);

/* A sum being accumulated; initially zero. */
struct wtl_energy_sum {
    size_t known, unknown; /* number of parts */
    double j, whole, squares, alike, low, high;
    bool interval_only, simulated;
    enum wattle_quality quality;
};

void wtl_energy_add(struct wtl_energy_sum *sum, const struct wtl_energy *part);

/*
 * Half widths of counters, from ticks and timing, are independent and add as squares. Those of gauges and averages come from their
 * steps, windows and filters, which are the same in all of their kind: they add linearly.
 * Without parts: unknown. whole: half widths include the error of a model, and add linearly, too.
 */
struct wtl_energy wtl_energy_sum_of(const struct wtl_energy_sum *sum, bool whole);

#endif
