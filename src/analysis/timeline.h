/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeline: channels over time, in so few points that they can be drawn, and without losing a spike:
 * each point has the least, the mean and the greatest value of its stretch of time. Channels that
 * were read together share an axis.
 *
 * Power of a long trace is taken from its pyramid, which costs no look at the samples; what the
 * pyramid is too coarse for, what it does not hold (other channels, a trace without footer), and
 * what it would blur (a gap longer than its buckets) is made from the samples in one pass. Memory is
 * that of the points, however long the trace.
 */
#ifndef WTL_ANALYSIS_TIMELINE_H
#define WTL_ANALYSIS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

/* Stretches without holes: stretch i from begin_ns[i] to begin_ns[i + 1], the last one to end_ns. */
struct wtl_axis {
    size_t count;
    uint64_t *begin_ns; /* [count], rising */
    uint64_t end_ns;
};

/*
 * A channel over the stretches of an axis, NaN where nothing is known (a gap, or no sample). Energy
 * and power: W. Other counters: their unit per second. Others: their unit.
 *
 * Energy: without the changes that a single tick of the counter explains (tick_smoothing.h).
 * min and max are those of mean values over at least stretch_ns (20 updates of the hardware; less
 * where there is only one); with stretch_ns 0 of single samples. mean is weighted by time. The max over all points is the
 * greatest such value of the trace.
 */
struct wtl_series {
    uint32_t channel; /* id */
    size_t axis;      /* index */
    uint64_t stretch_ns;
    float *min, *mean, *max; /* [count of the axis] */
};

struct wtl_timeline {
    struct wtl_axis *axes; /* an axis may have no stretch */
    size_t axis_count;
    struct wtl_series *series; /* in the order of range->channels */
    size_t series_count;
};

/*
 * The channels range->channels over begin_ns .. end_ns of it, in at most 2 * points points each, and
 * in at least `points` where there are so many stretches. Channels that the trace does not know,
 * or whose values are not understood, have no series. The timeline is the caller's
 * (wtl_timeline_fini()). Returns 0, -ENOMEM, or what the reader said.
 */
int wtl_timeline_read(struct wtl_trace_reader *reader,
                      const struct wtl_trace_range *range,
                      size_t points,
                      struct wtl_timeline *ret_timeline,
                      struct wattle_error *err);
void wtl_timeline_fini(struct wtl_timeline *timeline);

/* The series of a channel's id, or NULL. */
const struct wtl_series *wtl_timeline_find(const struct wtl_timeline *timeline, uint32_t channel);

#endif
