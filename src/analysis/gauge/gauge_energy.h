/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of a job from a gauge that sees a part of the time only.
 *
 * Each value stands until the next one, so the integral of what is shown counts each window once, for a period. A linear filter of
 * gain 1, a window and a delay move energy, they lose none. So, integrated from the start of the job until the gauge has
 * settled after its end (tail), and without what it showed of the time before and after (idle power, lag),
 *     integral of value - idle before * lag - idle after * (tail - lag)
 * has the energy of the job as its mean over all phases of the job within the period, whatever the shape of its power: the
 * windows of all phases together cover each moment equally often. A single pass has an error that it cannot know; so passes
 * are repeated at chosen phases, in blocks: the phases of a block are evenly spaced from a random one. The means of
 * the blocks are independent and unbiased: Student's t gives the interval.
 */
#ifndef WTL_ANALYSIS_GAUGE_ENERGY_H
#define WTL_ANALYSIS_GAUGE_ENERGY_H

#include <stdint.h>

#include "analysis/gauge/gauge.h"

enum {
    WTL_GAUGE_BLOCK = 4, /* passes of a block */
    WTL_GAUGE_BLOCKS = 3 /* the fewest */
};

#define WTL_GAUGE_EXCESS 0.02

/* By which part of a period (0 to 1) to delay the start of pass number i, counted from a moment of publication. */
double wtl_gauge_phase(uint64_t seed, size_t i);

/* When to start pass number i: the first instant of its phase that is not before the earliest one. A block begins anywhere: its
 * phases count from *anchor_ns, which its first pass sets. */
uint64_t wtl_gauge_start_ns(uint64_t seed,
                            size_t i,
                            double period_s,
                            uint64_t *anchor_ns,
                            uint64_t earliest_ns);

/* One pass of the job, with readings from before its start until after its end. */
struct wtl_gauge_pass {
    const struct wtl_gauge_reading *readings;
    size_t count;
    double begin_s, end_s;
};

struct wtl_gauge_pass_energy {
    double joules;
    double above_j;           /* of joules, above idle */
    double before_w, after_w; /* idle power */
    double step_j;     /* signed: what a change of the idle power does while the gauge settles */
    double settling_j; /* signed: what came after the gauge should have settled */
};

/* By how much the gauge shows power late, on average; and how long after a change it still shows the time before. */
double wtl_gauge_lag_s(const struct wtl_gauge *gauge);
double wtl_gauge_settling_s(const struct wtl_gauge *gauge);

/* The energy of one pass, which is unbiased over phases only. 0; -ENODATA with a message: the readings do not
 * show the idle power before or after, or have a gap. */
int wtl_gauge_pass_energy(const struct wtl_gauge *gauge,
                          const struct wtl_gauge_pass *pass,
                          struct wtl_gauge_pass_energy *ret_energy,
                          struct wattle_error *err);

/* Whether so many passes give the energy: 0; -ENODATA with a message for fewer than WTL_GAUGE_BLOCKS blocks, or so few that all may
 * have missed the same moment of each period, or an excess above WTL_GAUGE_EXCESS. */
int wtl_gauge_check(const struct wtl_gauge *gauge, size_t count, struct wattle_error *err);

/* The mean over passes 0 to count - 1, which ran at the phases above; only whole blocks are used. The
 * interval includes what the blocks cannot even out if the window is not whole quarters of the period, half of a change of the idle
 * power, what came after the gauge should have settled, and the excess of a gauge that is not linear. 0, or as wtl_gauge_check(). */
int wtl_gauge_energy(const struct wtl_gauge *gauge,
                     const struct wtl_gauge_pass_energy *passes,
                     size_t count,
                     struct wtl_gauge_value *ret_joules,
                     struct wattle_error *err);

/*
 * One pass, by bounds alone: what is seen counts, what is not lies between floor_w and ceiling_w (NaN = unknown). The middle
 * of what is possible, and the half width; 0. -ENODATA with a message if the gauge does not see all of the time and
 * a bound is unknown.
 */
struct wtl_gauge_bounds {
    double seen_j, seen_s; /* energy and time in the windows */
    double unseen_s;
    double floor_w, ceiling_w;
};
int wtl_gauge_bound(const struct wtl_gauge_bounds *bounds,
                    struct wtl_gauge_value *ret_joules,
                    struct wattle_error *err);

#endif
