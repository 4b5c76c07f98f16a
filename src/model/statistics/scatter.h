/* SPDX-License-Identifier: BSD-3-Clause */
/* The scatter of the power from step to step, separated from the jitter of the ticks. */
#ifndef WTL_MODEL_SCATTER_H
#define WTL_MODEL_SCATTER_H

#include <stdbool.h>

/* Statistics of the scatter of the power from step to step; squared, relative to the power. */
struct wtl_scatter {
    double last;           /* power of the last step */
    double differences[2]; /* the last two relative differences */
    double variance;       /* of the differences */
    double covariance[2];  /* between neighbours, between next-but-one neighbours */
    unsigned count, run;   /* number of differences; those in an unbroken run */
    bool has_last;
};

/* Add the power of the next step, in any unit. */
void wtl_scatter_learn(struct wtl_scatter *scatter, double power);

/* The next step does not follow the last one. */
void wtl_scatter_break(struct wtl_scatter *scatter);

/* sd of a tick's time, relative to the period, and of the power from step to step, relative to the power.
 * With few steps, a prior value is mixed in. */
void wtl_scatter_split(const struct wtl_scatter *scatter, double *ret_jitter, double *ret_rough);

#endif
