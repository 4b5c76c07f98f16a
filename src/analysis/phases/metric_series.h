/* SPDX-License-Identifier: BSD-3-Clause */
/* The derived metrics of a counter set over time, for plots: instructions per cycle, bytes per second, joules per byte. */
#ifndef WTL_ANALYSIS_METRIC_SERIES_H
#define WTL_ANALYSIS_METRIC_SERIES_H

#include <stddef.h>

#include <wattle/error.h>

#include "analysis/phases/counter_rows.h"
#include "analysis/power/timeline.h"
#include "model/counters/counter_set.h"
#include "trace/reader.h"

struct wtl_metric_series {
    struct wtl_counter_set set; /* of the trace */
    struct wtl_timeline
        timeline; /* one axis; a series for each metric, its channel is the index of the metric */
};

/*
 * The metrics of a trace from its rows, in at most `points` points; each point has the metric of its whole stretch, and
 * the least and largest of its rows. No series if the trace names no metrics. Returns 0; -EBADMSG if its metadata do
 * not describe a set; -ENOMEM.
 */
int wtl_metric_series_read(const struct wtl_trace_reader *reader,
                           const struct wtl_counter_rows *rows,
                           size_t points,
                           struct wtl_metric_series *ret_series,
                           struct wattle_error *err);
void wtl_metric_series_fini(struct wtl_metric_series *series); /* accepts a zeroed one */

#endif
