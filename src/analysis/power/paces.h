/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the energy counters of a trace update, from its samples (model/pace.h). */
#ifndef WTL_ANALYSIS_PACES_H
#define WTL_ANALYSIS_PACES_H

#include "trace/reader.h"

/* refresh_ns[id] for each of range->channels: as wtl_pace_polled_refresh_ns() of its first samples and polls in the
 * trace, whatever the times of the range, so that all views of a trace agree; that is all samples of most traces.
 * Returns 0, -ENOMEM, or the reader's error. */
int wtl_paces_read(struct wtl_trace_reader *reader,
                   const struct wtl_trace_range *range,
                   uint64_t *refresh_ns,
                   struct wattle_error *err);

#endif
