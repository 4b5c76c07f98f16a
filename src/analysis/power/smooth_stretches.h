/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stretches (stretches.h) without what the ticks of counters can cause on their own
 * (tick_smoothing.h): the same stretches, in the same order within a set. min, mean and max are
 * those of the fitted line. What remains at the end of an energy counter, shorter than a stretch, is
 * part of the last one.
 *
 * A set is smoothed in blocks of 4096 stretches. The second half of a block is smoothed again
 * together with the next one, so that memory (100 KiB per channel) does not grow with the trace.
 * Sets without energy counters pass through.
 */
#ifndef WTL_ANALYSIS_SMOOTH_STRETCHES_H
#define WTL_ANALYSIS_SMOOTH_STRETCHES_H

#include "analysis/power/stretches.h"

struct wtl_smooth_stretches;

/* As wtl_stretches_open(), _sets() and _next(). */
int wtl_smooth_stretches_open(struct wtl_trace_reader *reader,
                              const struct wtl_trace_range *range,
                              struct wtl_smooth_stretches **ret_stretches,
                              struct wattle_error *err);
size_t wtl_smooth_stretches_sets(const struct wtl_smooth_stretches *stretches,
                                 const struct wtl_stretch_set **ret_sets);
int wtl_smooth_stretches_next(struct wtl_smooth_stretches *stretches,
                              struct wtl_stretch *ret_stretch,
                              struct wattle_error *err);
void wtl_smooth_stretches_close(struct wtl_smooth_stretches *stretches); /* accepts NULL */

#endif
