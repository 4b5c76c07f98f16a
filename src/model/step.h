/* SPDX-License-Identifier: BSD-3-Clause */
/* Step: energy of a channel between two knots of a profile (profile.h). */
#ifndef WTL_MODEL_STEP_H
#define WTL_MODEL_STEP_H

#include <stdint.h>

enum wtl_step_flags {
    WTL_STEP_GRID = 1u << 0, /* its ends are ticks of the counter */
    WTL_STEP_GAP =
        1u << 1, /* samples are missing in it, or showed no energy; its energy is known */
    WTL_STEP_UNKNOWN = 1u << 2, /* its energy is unknown: a gap in it loses energy (gap.h) */
    WTL_STEP_FIRST = 1u << 3,   /* the counter was not seen counting before it */
    WTL_STEP_EARLIER = 1u << 4  /* part of its energy may be of an earlier time; also a gap */
};

struct wtl_step {
    uint64_t begin_ns, end_ns; /* begin = end of the previous step, except after an unknown
                                  interval */
    double energy_j;
    float begin_sd_ns, end_sd_ns; /* of each knot individually: jitter of the ticks */
    float common_sd_ns;           /* common to all knots nearby: phase of the grid */
    float rough;                  /* relative sd of the power from step to step beyond jitter */
    unsigned flags;               /* enum wtl_step_flags */
};

typedef void (*wtl_step_fn)(void *context, const struct wtl_step *step);

#endif
