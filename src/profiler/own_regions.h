/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions of this very process, and of its children by fork, in the trace that it writes itself:
 *
 *     wtl_own_regions_start("run.wtl", &own);     calls are recorded into run.wtl.d/run-XXXXXX
 *     ...
 *     wtl_own_regions_write(own, writer, err);    no more calls; all of them into the trace
 *     wtl_trace_writer_finish(writer, err);
 *     wtl_own_regions_close(own, finished);       the spools go
 */
#ifndef WTL_PROFILER_OWN_REGIONS_H
#define WTL_PROFILER_OWN_REGIONS_H

#include <stdbool.h>

#include <wattle/error.h>

#include "trace/writer.h"

struct wtl_own_regions;

/* trace: path of a file that exists, which is told where they are. Returns 0; -EBUSY when the calls are recorded already, by
 * "wattle run" or for another trace; or -errno. Then *ret_own is NULL, which the others accept. */
int wtl_own_regions_start(const char *trace,
                          struct wtl_trace_writer *writer,
                          struct wtl_own_regions **ret_own);

/* Returns 0, or what the fold or the writer returned: then the spools are kept. */
int wtl_own_regions_write(struct wtl_own_regions *own,
                          struct wtl_trace_writer *writer,
                          struct wattle_error *err);

/* Free; with `safe`, the trace has what the spools have, and they are removed. */
void wtl_own_regions_close(struct wtl_own_regions *own, bool safe);

#endif
