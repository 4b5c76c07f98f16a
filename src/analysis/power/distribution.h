/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distribution of power over time: for what fraction of the time a channel drew how much. Power is
 * that of smooth_stretches.h, for counters means over at least 5 updates of the hardware, or one of a slow counter, without
 * what their ticks alone can cause, so that constant power is one peak at any sampling interval.
 * Each stretch is weighted by its time; gaps are excluded. One pass over the samples for all
 * channels, 200 KiB for each channel, however long the trace.
 *
 * Percentiles are exact to 1/4096 of the range from minimum to maximum power, or 10^-6 of it.
 */
#ifndef WTL_ANALYSIS_DISTRIBUTION_H
#define WTL_ANALYSIS_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

enum wtl_percentile { WTL_P5, WTL_P25, WTL_P50, WTL_P75, WTL_P95, WTL_PERCENTILES };

struct wtl_distribution {
    uint32_t channel; /* id */
    double stretch_s; /* mean length of the stretches: longer than 5 updates at a slow sampling
                       * rate */
    double known_s;   /* their time */
    double min_w, max_w, mean_w;
    double percentile_w[WTL_PERCENTILES];
    double low_w,
        step_w;    /* bin i: low + i * step up to low + (i + 1) * step; step is 1, 2 or 5 x 10^k */
    size_t bins;   /* 1 to 500 */
    double *share; /* [bins], fractions of known_s; the sum is 1 */
};

/*
 * The distributions of those channels in range->channels that are energy or power and have at least
 * one known stretch in begin_ns .. end_ns, in that order. Returns their number, *ret_distributions
 * for wtl_distributions_free(); or -ENOMEM, or the reader's error.
 */
int wtl_distributions_read(struct wtl_trace_reader *reader,
                           const struct wtl_trace_range *range,
                           struct wtl_distribution **ret_distributions,
                           struct wattle_error *err);
void wtl_distributions_free(struct wtl_distribution *distributions, size_t count);

#endif
