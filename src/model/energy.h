/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An energy with its interval: of a channel, a total, a region, a node, a run. What a sum does with its parts, and with one
 * of them that is not known, is decided here.
 *
 * Errors of what was measured come from ticks and timing, which fall independently: half widths add as squares. Those of
 * estimates come from one model, which is wrong in the same way everywhere: their ranges add whole. A sum of which a part is not
 * known is not known: j is NaN, and known_j says how much the other parts have, which the sum is at least. So a part is never
 * taken for the whole.
 */
#ifndef WTL_MODEL_ENERGY_H
#define WTL_MODEL_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/channel.h>

struct wtl_energy {
    double j;      /* NaN = unknown */
    double half_j; /* half width of its 95 % interval: ticks, timing, gaps; NaN = unknown */
    double low_j,
        high_j;     /* of an estimate: 95 % of the truth, with the error of its model; else NaN */
    double known_j; /* of a sum: of its parts that are known; NaN = none is, or no sum */
    bool interval_only; /* too short to be resolved: j is the middle of its interval */
    bool simulated;
    enum wattle_quality quality; /* of a sum the weakest */
};

struct wtl_energy wtl_energy_unknown(void);

/* On a channel: with the range of its estimate, if it is one. */
struct wtl_energy wtl_energy_on(const struct wattle_channel *channel, double j, double half_j);

/* Times a number above 0: "half of it", "per second". */
struct wtl_energy wtl_energy_scaled(const struct wtl_energy *energy, double factor);

/* Half of the interval of the truth: of an estimate with the error of its model, NaN where that is not known. */
double wtl_energy_half(const struct wtl_energy *energy);

/* The ends of the interval of the truth, not below 0. NaN NaN = unknown. */
void wtl_energy_ends(const struct wtl_energy *energy, double *ret_low, double *ret_high);

/*
 * Give a part of an estimate the range that the whole has: a model is wrong by the same factor in both. A part that is
 * too short for the sampling has the interval of its ticks. What is no estimate stays as it is.
 */
void wtl_energy_range_as(struct wtl_energy *part, const struct wtl_energy *whole);

/* A sum while it is made; zeroed at first. */
struct wtl_energy_sum {
    size_t known, unknown; /* parts */
    double j, whole, squares, low, high;
    bool interval_only, simulated;
    enum wattle_quality quality;
};

void wtl_energy_add(struct wtl_energy_sum *sum, const struct wtl_energy *part);

/* Of no parts: unknown. whole: half widths hold the error of a model, and add whole, too. */
struct wtl_energy wtl_energy_sum_of(const struct wtl_energy_sum *sum, bool whole);

#endif
