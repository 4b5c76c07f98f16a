/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretch energy: what channels counted between two instants of a trace, by the rules of the measurement window
 * (model/tally/tally.h): the tick at each border is divided, gaps are left out and said, the result has an interval. A counter
 * that updates slowly, as it claims or as its samples show, has the energy of a region between them
 * (trace/regions/region_energy.h): power need not change at the borders. The whole run has the energy of the run. */
#ifndef WTL_ANALYSIS_STRETCH_ENERGY_H
#define WTL_ANALYSIS_STRETCH_ENERGY_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "model/tally/tally.h"
#include "trace/reader.h"

/*
 * ret_summaries[count] of the channels with these ids from begin_ns to end_ns. A channel without samples at both
 * ends, or that the trace lacks, is unknown. Reads only the samples around the stretch. 0, -EINVAL: end_ns is not
 * after begin_ns; -ENOMEM; or the reader's error.
 */
int wtl_stretch_energy_read(struct wtl_trace_reader *reader,
                            const uint32_t *channels,
                            size_t count,
                            uint64_t begin_ns,
                            uint64_t end_ns,
                            struct wtl_summary *ret_summaries,
                            struct wattle_error *err);

#endif
