/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance: what the trace says beside its samples: the machine and how it was set, what was
 * run, how, by which wattle, and how it ended. Keys: docs/format/trace.md. */
#ifndef WTL_CLI_PROVENANCE_H
#define WTL_CLI_PROVENANCE_H

#include "cli/measure.h"
#include "trace/writer.h"

/* What is known before the start. writer may be NULL: then nothing is done. */
void wtl_provenance_before(struct wtl_trace_writer *writer,
                           const struct wtl_measure_options *options,
                           const struct wtl_selection *selection);

/* What is known at the end of the window. */
void wtl_provenance_after(struct wtl_trace_writer *writer,
                          const struct wtl_measure_options *options,
                          const struct wtl_result *result);

/* The idle machine before and after, and the energy above it. */
void wtl_provenance_idle(struct wtl_trace_writer *writer, const struct wtl_result *result);

#endif
