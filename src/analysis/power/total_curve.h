/* SPDX-License-Identifier: BSD-3-Clause */
/* Total curve: the power of the total over the time of a run, to plot runs above each other. */
#ifndef WTL_ANALYSIS_TOTAL_CURVE_H
#define WTL_ANALYSIS_TOTAL_CURVE_H

#include <stddef.h>

#include <wattle/error.h>

#include "model/result.h"
#include "trace/reader.h"

/*
 * Mean power in each of `cells` equal intervals from the start of the run's window on, each cell_s
 * long: the sum over the channels of the total, NaN where one of them is unknown and after the end.
 * A sample interval that crosses an end of the window counts with the part inside. For the trace
 * that the result was read from. ret_power_w[cells] belongs to the caller. 0; -ENODATA: there is no
 * total or no trace, or the power is nowhere known; -ENOMEM; or the reader's error.
 */
int wtl_total_curve_read(const struct wtl_result *result,
                         double cell_s,
                         size_t cells,
                         double *ret_power_w,
                         struct wattle_error *err);

/* The same from a reader of that trace. */
int wtl_total_curve_of(struct wtl_trace_reader *reader,
                       const struct wtl_result *result,
                       double cell_s,
                       size_t cells,
                       double *ret_power_w,
                       struct wattle_error *err);

#endif
