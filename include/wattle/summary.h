/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results for one channel, or for the total, over a window of time. A recorder and a trace give the
 * same numbers.
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
 * never 0: energy_j of a channel that is neither energy nor power, and all of them before two
 * samples.
 *
 * mean, min, max and latest are in watts for energy and power channels and for the total; for other
 * channels they are in the unit of the quantity (counters: per second).
 */
struct wattle_summary {
    size_t size;                  /* sizeof(struct wattle_summary) */
    double energy_j;              /* over window_ns, excluding unknown_ns */
    double resolution_interval_j; /* half width of its 95 % interval: ticks, timing and gaps */
    double low_j, high_j;         /* 95 % interval of the true energy: energy_j +-
                                     resolution_interval_j, for estimates widened by the error of
                                     the model */
    double mean;                  /* over window_ns, excluding gaps */
    double min, max;              /* of means over intervals of at least stat_window_ns */
    double latest;                /* mean of the newest such interval, for a display; NaN in a
                                     finished trace */
    uint64_t window_ns;           /* time covered by the energy: from start to stop or, while
                                     running, to the newest sample processed */
    uint64_t stat_window_ns;      /* at least 20 updates of the hardware; 0 for a total */
    uint64_t samples;             /* good readings in the window */
    uint64_t gaps;                /* intervals without good readings */
    uint64_t gap_ns;              /* total duration of the gaps, overlaps counted once; for a
                                     total, the longest of any channel */
    uint64_t unknown_ns;          /* part of gap_ns that energy_j does not cover: if not 0,
                                     energy_j is too low; for a total, the longest of any channel */
};

#ifdef __cplusplus
}
#endif
#endif
