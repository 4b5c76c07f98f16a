/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance: what the trace says beside its samples: the machine and how it was set, what was
 * run, how, by which wattle, and how it ended. Keys: docs/format/trace.md. */
#ifndef WTL_MEASURE_PROVENANCE_H
#define WTL_MEASURE_PROVENANCE_H

#include "measure/measurement_state.h"

/* What is known before the start. Without a trace nothing is done, by all of these. */
void wtl_provenance_before(const struct wtl_measurement *m);

/* What is known at the end of the window. */
void wtl_provenance_after(const struct wtl_measurement *m, const struct wtl_result *result);

/* The idle machine before and after, and the energy above it. writer may be NULL. */
void wtl_provenance_idle(struct wtl_trace_writer *writer, const struct wtl_result *result);

void wtl_provenance_flag(struct wtl_trace_writer *writer, const char *name, const char *text);

#endif
