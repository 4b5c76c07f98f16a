/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that processes left next to a trace whose run did not merge them: merged while the trace
 * is repaired. */
#ifndef WTL_MEASURE_LEFT_REGIONS_H
#define WTL_MEASURE_LEFT_REGIONS_H

#include <wattle/error.h>

#include "record/spool/spool_merge.h"
#include "trace/reader.h"
#include "trace/writer.h"

/* For use in a wtl_trace_fill_fn: adds each mark that the trace does not have yet, and REGIONS LOST
 * if some are gone. 0 or -errno with a message. */
int wtl_left_regions_take_in(struct wtl_spool_merge *merge,
                             struct wtl_trace_reader *reader,
                             struct wtl_trace_writer *writer,
                             struct wtl_spool_merge_report *ret_report,
                             struct wattle_error *err);

#endif
