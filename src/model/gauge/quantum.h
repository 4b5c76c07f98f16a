/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantum: the steps in which a gauge shows its power, which may be coarser than the unit of its values (25 W in mW). They are not
 * stated, but the values have them in common. What lies between two steps is not seen, and is no noise that averages out: a power that
 * stands still is off by the same part of a step all the time.
 */
#ifndef WTL_MODEL_GAUGE_QUANTUM_H
#define WTL_MODEL_GAUGE_QUANTUM_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/channel.h>

/* Of one gauge. Zero = nothing seen yet. */
struct wtl_quantum {
    uint64_t step;      /* greatest common divisor of all values */
    uint64_t values[2]; /* the first ones that differ, but 0 */
    unsigned count;     /* different values, up to 3 */
};

/* Add a value, in the unit of the gauge. */
void wtl_quantum_add(struct wtl_quantum *quantum, uint64_t value);

/* The step, in that unit, or 0: not shown. Three different values show it. Two do if it is a small part of them: a load may have two
 * powers that happen to be round. One shows nothing. */
uint64_t wtl_quantum_step(const struct wtl_quantum *quantum);

/*
 * Half a step, in the unit of the channel's quantity: what a value may be off. While the values do not show the step, it is taken for the
 * largest power of ten that all of them have, but for no more than 1 W (docs/decisions/0040-steps-of-gauges.md).
 */
double wtl_quantum_half(const struct wtl_quantum *quantum, const struct wattle_channel *channel);

/* The coarsest round step, in W, in which a gauge may show its power if it has shown only this value, beyond what wtl_quantum_half() takes it for;
 * 0 = none. */
double wtl_quantum_coarsest_w(const struct wattle_channel *channel, uint64_t value);

#endif
