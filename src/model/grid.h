/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tick grid of a counter: when its hardware updates it. A RAPL counter is updated about every 0.976 ms
 * and shows, between two ticks, the energy at the last one. The times of the ticks are not available, but can
 * be inferred from the samples as with the two scales of a vernier: where the growth between two samples is
 * that of two ticks, both fell between them, and where it is zero, none did.
 */
#ifndef WTL_MODEL_GRID_H
#define WTL_MODEL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Caller's storage. Times are ns after an origin chosen by the caller. */
struct wtl_grid {
    double tick_ns, period_ns; /* the present tick, the time between ticks */
    double jitter_ns;          /* assumed sd of the ticks around the grid */
    double variance[3];        /* of tick_ns; of both together; of period_ns (ns^2) */
};

/* A sample in the form the grid needs. */
struct wtl_grid_sample {
    double time_ns;
    double growth; /* since the sample before; any unit */
};

/*
 * Find period and phase from count samples, the first of which only gives a time. The period is searched
 * within claimed_ns * (1 +- range). Returns whether there is a grid that explains the samples; if not,
 * *ret_grid is unchanged. Samples farther apart than 1.4 ticks have no grid. Takes about 0.1 ms.
 */
bool wtl_grid_find(const struct wtl_grid_sample *samples,
                   size_t count,
                   double claimed_ns,
                   double range,
                   struct wtl_grid *ret_grid);

/* The last tick of the grid at or before time_ns, as the number of ticks after grid->tick_ns (may be
 * negative); *ret_age_ns = time since it, 0 .. period. */
double wtl_grid_ticks(const struct wtl_grid *grid, double time_ns, double *ret_age_ns);

/* sd of the grid's phase, and of the estimated time of a single tick. */
double wtl_grid_phase_sd_ns(const struct wtl_grid *grid);
double wtl_grid_sd_ns(const struct wtl_grid *grid);

/* Observation from a sample: at time_ns, tick number n had (or had not yet) come. */
void wtl_grid_observe(struct wtl_grid *grid, double n, double time_ns, bool had_come);

/* Observation: tick number n came at time_ns, within sd_ns. */
void wtl_grid_observe_edge(struct wtl_grid *grid, double n, double time_ns, double sd_ns);

/* Make tick n the new origin. */
void wtl_grid_advance(struct wtl_grid *grid, double n);

#endif
