/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outcome: turns a finished (or running) measurement into its result: summaries, total, share of
 * the measured processes, flags, wattle's own cost. Also implements wtl_measurement_result() and
 * wtl_measurement_so_far().
 */
#ifndef WTL_MEASURE_OUTCOME_H
#define WTL_MEASURE_OUTCOME_H

#include "trace/writer.h"

/* Add the flag NOT CHECKED to a trace without a result; why: the end of its sentence. */
void wtl_outcome_unchecked(struct wtl_trace_writer *writer, const char *why);

#endif
