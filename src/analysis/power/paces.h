/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the energy counters of a trace update, and in which steps its gauges show their power, from its samples (model/pace.h, model/gauge/quantum.h). */
#ifndef WTL_ANALYSIS_PACES_H
#define WTL_ANALYSIS_PACES_H

#include "model/gauge/quantum.h"
#include "trace/reader.h"

/* refresh_ns[id] for each of range->channels: as wtl_pace_polled_refresh_ns() of its first samples and polls in the
 * trace, whatever the times of the range, so that all views of a trace agree; that is all samples of most traces.
 * quanta[id]: the same of the values of gauges; NULL = not wanted. Returns 0, -ENOMEM, or the reader's error. */
int wtl_paces_read(struct wtl_trace_reader *reader,
                   const struct wtl_trace_range *range,
                   uint64_t *refresh_ns,
                   struct wtl_quantum *quanta,
                   struct wattle_error *err);

#endif
