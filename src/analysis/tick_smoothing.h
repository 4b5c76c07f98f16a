/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tick smoothing: the power of a counter without the steps that its ticks can cause on their own.
 *
 * An energy counter grows in ticks, so that each reading may lack the energy of one tick, and the
 * mean power between two readings is off by up to one tick divided by their distance: 5 % over 20
 * ticks, though the power is constant. Here stretches are merged as long as the energy that was
 * read never deviates from a straight line by more than a tick. Changing power is kept: a step by a
 * fraction p of the power shows once it has lasted 1 / p ticks. The energy is kept, too.
 */
#ifndef WTL_ANALYSIS_TICK_SMOOTHING_H
#define WTL_ANALYSIS_TICK_SMOOTHING_H

#include <stddef.h>
#include <stdint.h>

/* Means and extremes of a counter over contiguous stretches. */
struct wtl_tick_series {
    size_t count;
    const uint64_t *begin_ns; /* [count], ascending */
    uint64_t end_ns;          /* end of the last stretch */
    uint64_t tick_ns;         /* time between updates of the counter */
    uint64_t stretch_ns;      /* min and max are those of means over at least this long */
    float *min, *mean, *max;  /* [count] W; NaN = unknown; modified in place */
};

/* Returns 0 or -ENOMEM. */
int wtl_tick_smoothing_apply(const struct wtl_tick_series *series);

#endif
