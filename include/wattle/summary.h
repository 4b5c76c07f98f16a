/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of one channel, or of the total, over a window of time. A recorder and a trace give
 * the same numbers.
 */
#ifndef WATTLE_SUMMARY_H
#define WATTLE_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The caller sets size before the call; the call fills in the rest. Doubles are NaN when unknown,
 * never 0: energy_j of a channel that is neither energy nor power, all of them before two samples.
 *
 * mean, min, max and latest are watts of channels of energy and power and of the total; of other
 * channels they are in the unit of the quantity (a counter's: per second).
 */
struct wattle_summary {
    size_t size;                  /* sizeof(struct wattle_summary) */
    double energy_j;              /* over window_ns without unknown_ns */
    double resolution_interval_j; /* half width of its 95 % interval: ticks, timing and gaps */
    double low_j, high_j;         /* 95 % interval of the true energy: energy_j with the half width
                                     of above, and of an estimate with the errors of its model */
    double mean;                  /* over the part of window_ns that is not in gaps */
    double min, max;              /* of means over stretches of at least stat_window_ns */
    double latest;                /* mean of the newest such stretch, for a display; NaN of a
                                     finished trace */
    uint64_t window_ns;           /* what the energy refers to: from start to stop or, while it
                                     runs, to the newest sample taken in */
    uint64_t stat_window_ns;      /* at least 20 updates of the hardware; 0 of a total */
    uint64_t samples;             /* good readings within */
    uint64_t gaps;                /* stretches without */
    uint64_t gap_ns;              /* how long these were, each instant once; of a total as below */
    uint64_t unknown_ns;          /* of these, what energy_j leaves out: not 0 = it is too low; of a
                                     total that of the channel that lacks most */
};

#ifdef __cplusplus
}
#endif
#endif
