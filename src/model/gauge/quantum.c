/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a gauge: see quantum.h. */
#include "model/gauge/quantum.h"

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
    return step > 1 && (quantum->count >= 3 || small) ? step : 1;
}
