/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outcome: from a finished (or running) measurement to its result: summaries, total, the share of what was measured, flags, wattle's
 * own cost. wtl_measurement_result() and wtl_measurement_so_far() stand here, too.
 */
#ifndef WTL_MEASURE_OUTCOME_H
#define WTL_MEASURE_OUTCOME_H

#include "trace/writer.h"

/* The flag NOT CHECKED into a trace of which no result is made; why: the end of its sentence. */
void wtl_outcome_unchecked(struct wtl_trace_writer *writer, const char *why);

#endif
