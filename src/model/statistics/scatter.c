/* SPDX-License-Identifier: BSD-3-Clause */
/* How much the power scatters from step to step, and how much of that is jitter of the ticks. */
#include <math.h>

#include "model/statistics/scatter.h"

#define MEMORY       2048 /* steps */
#define JITTER       0.02 /* of a tick, relative to the period, until enough steps are known */
#define JITTER_STEPS 256  /* number of steps with the same weight */

/*
 * Relative differences of the power of neighbouring steps. White jitter of variance j (of the ticks, relative
 * to the period) gives them a variance of 6 j, a covariance of -4 j between neighbours and of j between
 * next-but-one neighbours, a unique signature: white scatter r of the power itself gives 2 r, -r, 0, a random
 * walk w, w/6, 0. Sudden changes of the power are bounded, not taken at face value.
 */
void wtl_scatter_learn(struct wtl_scatter *scatter, double power)
{
    double sum = scatter->last + power;
    double difference = sum > 0 ? 2 * (power - scatter->last) / sum : 0;
    bool had = scatter->has_last;

    scatter->last = power;
    scatter->has_last = true;
    if (!had)
        return;
    double bound = scatter->count < 16 ? 0.25 : 4 * sqrt(scatter->variance) + 0.005;
    double memory = scatter->count < MEMORY ? ++scatter->count : MEMORY;

    if (fabs(difference) > bound) { /* a sudden change */
        scatter->run = 0;
        scatter->variance += (bound * bound - scatter->variance) / memory / 4;
        return;
    }
    scatter->variance += (difference * difference - scatter->variance) / memory;
    for (unsigned i = 0; i < 2 && i < scatter->run; i++)
        scatter->covariance[i] +=
            (difference * scatter->differences[i] - scatter->covariance[i]) / memory;
    scatter->run++;
    scatter->differences[1] = scatter->differences[0];
    scatter->differences[0] = difference;
}

void wtl_scatter_break(struct wtl_scatter *scatter)
{
    scatter->has_last = false;
    scatter->run = 0;
}

void wtl_scatter_split(const struct wtl_scatter *scatter, double *ret_jitter, double *ret_rough)
{
    double n = scatter->count;
    double jitter =
        (scatter->covariance[1] * n + JITTER * JITTER * JITTER_STEPS) / (n + JITTER_STEPS);

    jitter = fmin(fmax(jitter, JITTER * JITTER / 4), 16 * JITTER * JITTER);
    double rough = scatter->variance / 2 - 3 * jitter;

    *ret_jitter = sqrt(jitter);
    *ret_rough = sqrt(fmax(rough, 0));
}
