/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeline: channels over time, in few enough points to draw, and without losing a spike: each
 * point has the minimum, mean and maximum of its stretch of time. Channels that were read together
 * share an axis.
 *
 * Power of a long trace comes from its pyramid, without reading the samples; where the pyramid is
 * too coarse, lacks the data (other channels, a trace without a footer), or would hide it (a gap
 * longer than its buckets; extremes of energy, which it cannot distinguish from ticks), it comes from the
 * samples in one pass. Memory is that of the points,
 * however long the trace.
 */
#ifndef WTL_ANALYSIS_TIMELINE_H
#define WTL_ANALYSIS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

/* Contiguous stretches: stretch i from begin_ns[i] to begin_ns[i + 1], the last one to end_ns. */
struct wtl_axis {
    size_t count;
    uint64_t *begin_ns; /* [count], ascending */
    uint64_t end_ns;
};

/*
 * A channel over the stretches of an axis, NaN where nothing is known (a gap, or no sample). Energy
 * and power: W. Other counters: their unit per second. Others: their unit.
 *
 * Energy: without the changes that a single tick of the counter explains: per stretch if the
 * samples are read (smooth_stretches.h), per point if the pyramid is (tick_smoothing.h). With
 * WTL_TIMELINE_MEANS, peaks of energy that are shorter than a bucket and at most 6 % above the mean
 * look like ticks and are missing in max, dips in min. min and max are those of mean values over at
 * least stretch_ns (5 updates as the hardware states them, 1 as the samples show them, 20 with the
 * pyramid; less if there is only one stretch); with stretch_ns 0 those of single samples. mean is
 * weighted by time. The max over all points is the maximum of such values in the trace.
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

/* What is needed of a series: bands from min to max, which cost a pass over the samples, or means. */
enum wtl_timeline_use { WTL_TIMELINE_BANDS, WTL_TIMELINE_MEANS };

/*
 * The channels range->channels over its begin_ns .. end_ns, in at most 2 * points points each, and
 * in at least `points` if there are that many stretches. Channels that the trace lacks, or whose
 * values are unsupported, have no series. The caller owns the timeline (wtl_timeline_fini()).
 * Returns 0, -ENOMEM, or the reader's error.
 */
int wtl_timeline_read(struct wtl_trace_reader *reader,
                      const struct wtl_trace_range *range,
                      size_t points,
                      enum wtl_timeline_use use,
                      struct wtl_timeline *ret_timeline,
                      struct wattle_error *err);
void wtl_timeline_fini(struct wtl_timeline *timeline);

/* The series of a channel's id, or NULL. */
const struct wtl_series *wtl_timeline_find(const struct wtl_timeline *timeline, uint32_t channel);

#endif
