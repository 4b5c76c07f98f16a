/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pool: reduces a sequence of stretches of any length, in time order, to a bounded number of longer
 * ones that keep the minimum, mean and maximum of several channels. When it is full, pairs of
 * neighbours are merged. A long unknown stretch is kept separate from known ones as long as there
 * is room, so that gaps stay visible.
 */
#ifndef WTL_ANALYSIS_DOWNSAMPLER_H
#define WTL_ANALYSIS_DOWNSAMPLER_H

#include <stddef.h>
#include <stdint.h>

/* The values of one channel in one stretch of the pool. */
struct wtl_downsampler_cell {
    float min, max;  /* meaningful when known_s > 0 */
    double integral; /* value integrated over time */
    double known_s;  /* its known time */
};

struct wtl_downsampler {
    size_t channels, room, count;
    uint64_t *begin_ns;                 /* [room] */
    uint64_t end_ns;                    /* end of the last stretch */
    struct wtl_downsampler_cell *cells; /* [room * channels], cells of a stretch are contiguous */
    size_t members, open;               /* number that each holds; number that the last one has so
                                         * far */
};

/* For at most `room` (2 or more) stretches. 0 or -ENOMEM. */
int wtl_downsampler_init(struct wtl_downsampler *pool, size_t channels, size_t room);
void wtl_downsampler_fini(struct wtl_downsampler *pool);

/* Add a stretch; [channels] values, NaN = unknown. The time between the last one and this one is
 * unknown; where they overlap, the first one counts. */
void wtl_downsampler_add(struct wtl_downsampler *pool,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         const double *min,
                         const double *mean,
                         const double *max);

/* Mean of a cell; NaN if nothing is known. */
double wtl_downsampler_mean(const struct wtl_downsampler_cell *cell);

#endif
