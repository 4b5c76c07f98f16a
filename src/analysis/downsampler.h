/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pool: a row of stretches of any length, in the order of time, into a bounded number of longer ones
 * that keep the least, the mean and the greatest value of several channels. When it is full, pairs of
 * neighbours become one. A long stretch of which nothing is known is kept apart from known
 * ones as long as there is room, so that a gap is not painted over.
 */
#ifndef WTL_ANALYSIS_DOWNSAMPLER_H
#define WTL_ANALYSIS_DOWNSAMPLER_H

#include <stddef.h>
#include <stdint.h>

/* The values of one channel in one stretch of the pool. */
struct wtl_downsampler_cell {
    float min, max;  /* meaningful when known_s > 0 */
    double integral; /* of the value over time */
    double known_s;  /* the time of it that is known */
};

struct wtl_downsampler {
    size_t channels, room, count;
    uint64_t *begin_ns;                 /* [room] */
    uint64_t end_ns;                    /* of the last */
    struct wtl_downsampler_cell *cells; /* [room * channels], those of a stretch together */
    size_t members, open;               /* that one takes in; that the last one has */
};

/* For at most `room` (2 or more) stretches. 0 or -ENOMEM. */
int wtl_downsampler_init(struct wtl_downsampler *pool, size_t channels, size_t room);
void wtl_downsampler_fini(struct wtl_downsampler *pool);

/* One more stretch; [channels] values, NaN = unknown. What lies between the last one and it is
 * unknown; where they overlap, the first one counts. */
void wtl_downsampler_add(struct wtl_downsampler *pool,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         const double *min,
                         const double *mean,
                         const double *max);

/* Mean of a cell; NaN when nothing is known. */
double wtl_downsampler_mean(const struct wtl_downsampler_cell *cell);

#endif
