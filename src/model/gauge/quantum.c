/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a gauge: see quantum.h. */
#include "model/gauge/quantum.h"

#include <math.h>

/* A power that has not shown its step is taken for one of steps of at most this many watts. */
#define PLAIN_W 1.0

/* Of two values the step must be at most this part. */
enum { PART = 4 };

static uint64_t common(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void wtl_quantum_add(struct wtl_quantum *quantum, uint64_t value)
{
    if (value == 0 || quantum->step == 1)
        return;
    if (quantum->step == 0 || value % quantum->step)
        quantum->step = common(value, quantum->step);
    for (unsigned i = 0; i < quantum->count && i < 2; i++)
        if (quantum->values[i] == value)
            return;
    if (quantum->count < 2)
        quantum->values[quantum->count] = value;
    quantum->count += quantum->count < 3;
}

uint64_t wtl_quantum_step(const struct wtl_quantum *quantum)
{
    uint64_t step = quantum->step;
    bool small = quantum->count >= 2 && step <= quantum->values[0] / PART &&
                 step <= quantum->values[1] / PART;
    return quantum->count >= 3 || small ? step : 0;
}

/* The largest power of ten that divides a value, up to `most`. */
static uint64_t roundness(uint64_t value, double most)
{
    uint64_t step = 1;
    while (value > 0 && value % (10 * step) == 0 && 10 * (double)step <= most)
        step *= 10;
    return step;
}

double wtl_quantum_half(const struct wtl_quantum *quantum, const struct wattle_channel *channel)
{
    const double rounding = 1e-9;
    uint64_t step = wtl_quantum_step(quantum);
    double plain = PLAIN_W / channel->scale * (1 + rounding);
    if (step == 0)
        step = channel->quantity == WATTLE_POWER ? roundness(quantum->step, plain) : 1;
    return (double)step * channel->scale / 2;
}

double wtl_quantum_coarsest_w(const struct wattle_channel *channel, uint64_t value)
{
    static const double steps_w[] = {25, 20, 10, 8, 5, 4, 2.5, 2};
    for (size_t i = 0; i < sizeof steps_w / sizeof *steps_w; i++) {
        uint64_t step = (uint64_t)llround(steps_w[i] / channel->scale);
        if (step > 0 && value > 0 && value % step == 0)
            return steps_w[i];
    }
    return 0;
}
