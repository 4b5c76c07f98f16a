/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans: the rate of a channel between two samples that follow each other. A counter grew by its difference, whatever
 * happened in between; a gauge counts with the mean of both values, a window average with the later one. Unknown where
 * a gap loses the amount (model/gap.h).
 *
 * Values times the length of their span, in seconds, add up to what was counted: joules if the rate is in watts, CPU
 * seconds for CPU time.
 */
#ifndef WTL_ANALYSIS_SPANS_H
#define WTL_ANALYSIS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/gap.h"

/* Zeroed except for the channel, and the gaps if it has any. */
struct wtl_spans {
    const struct wattle_channel *channel;
    const struct wtl_gap *gaps; /* the channel's, sorted by begin; borrowed */
    size_t gap_count, gap;
    bool has_last;
    uint64_t last_ns, last_value;
};

struct wtl_rate_span {
    uint64_t begin_ns, end_ns;
    double rate; /* per second; for gauges the value; NaN = unknown */
};

/* Add a sample. True: there is a span since the one before. Times must increase; others are ignored. */
bool wtl_spans_take(struct wtl_spans *spans,
                    uint64_t time_ns,
                    uint64_t value,
                    struct wtl_rate_span *ret_span);

/* Sort gaps by channel, then begin. */
void wtl_spans_sort_gaps(struct wtl_gap *gaps, size_t count);
/* Find the gaps of channel `id` among sorted ones. */
void wtl_spans_find_gaps(struct wtl_spans *spans,
                         const struct wtl_gap *gaps,
                         size_t count,
                         uint32_t id);

#endif
