/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tick smoothing: the power of a counter without the steps that its ticks can cause on their own.
 *
 * An energy counter grows in ticks: a reading lacks the energy since the last tick, up to that of a
 * whole one. Power that is constant as far as the readings show has a line of energy that passes,
 * at each reading, between the value read and one tick more. The row of stretches is divided into
 * as few lines as possible, so that nothing more is smoothed than a tick explains: a power higher by
 * a fraction p shows once it has lasted about 1 / p ticks. The energy is kept, too.
 */
#ifndef WTL_ANALYSIS_TICK_SMOOTHING_H
#define WTL_ANALYSIS_TICK_SMOOTHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Means and extremes of a counter over contiguous stretches. */
struct wtl_tick_series {
    size_t count;
    const uint64_t *begin_ns; /* [count], ascending */
    uint64_t end_ns;          /* end of the last stretch */
    uint64_t tick_ns;         /* time between updates of the counter */
    double unit_j;            /* one unit of the counter */
    bool awake; /* what it counts always draws power: what follows a standstill is of its time */
    uint64_t stretch_ns;     /* min and max are those of means over at least this long */
    float *min, *mean, *max; /* [count] W; NaN = unknown; modified in place */
};

/* Returns 0 or -ENOMEM. */
int wtl_tick_smoothing_apply(const struct wtl_tick_series *series);

#endif
