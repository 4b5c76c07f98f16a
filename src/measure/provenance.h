/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance: what the trace contains besides samples: the machine and its settings, what was run,
 * how, by which version of wattle, and how it ended. Keys: docs/format/trace.md. */
#ifndef WTL_MEASURE_PROVENANCE_H
#define WTL_MEASURE_PROVENANCE_H

#include "measure/measurement_state.h"

/* What is known before the start. Like the functions below, does nothing without a trace. */
void wtl_provenance_before(const struct wtl_measurement *m);

/* What is known at the end of the window. */
void wtl_provenance_after(const struct wtl_measurement *m, const struct wtl_result *result);

/* Idle power before and after, and the energy above idle. writer may be NULL. */
void wtl_provenance_idle(struct wtl_trace_writer *writer, const struct wtl_result *result);

void wtl_provenance_flag(struct wtl_trace_writer *writer, const char *name, const char *text);

enum { WTL_CONTROL_TEXT = 256 };

/* Which settings were requested for what is measured: of the options, or by "srun --cpu-freq"; "" = none. NaN = no frequency. */
void wtl_measurement_control(const struct wtl_measurement_options *options,
                             char text[WTL_CONTROL_TEXT],
                             double *ret_low_hz,
                             double *ret_high_hz);

#endif
