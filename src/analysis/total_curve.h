/* SPDX-License-Identifier: BSD-3-Clause */
/* Total curve: the power of what the total contains, over the time of a run, to draw runs above each other. */
#ifndef WTL_ANALYSIS_TOTAL_CURVE_H
#define WTL_ANALYSIS_TOTAL_CURVE_H

#include <stddef.h>

#include <wattle/error.h>

#include "model/result.h"

/*
 * Mean power in each of `cells` stretches of equal length from the start of the run's window on, each
 * cell_s long: the sum over the channels of the total, NaN where one of them is unknown and behind the
 * end. Of a sample interval that crosses an end of the window the part within counts. Of the trace that the
 * result was read from. ret_power_w[cells] is the caller's. 0; -ENODATA: there is no total or no trace, or the power is
 * known nowhere; -ENOMEM; what the reader said.
 */
int wtl_total_curve_read(const struct wtl_result *result,
                         double cell_s,
                         size_t cells,
                         double *ret_power_w,
                         struct wattle_error *err);

#endif
