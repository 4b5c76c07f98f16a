/* SPDX-License-Identifier: BSD-3-Clause */
/* The activities in a Paraver trace. */
#ifndef WTL_EXCHANGE_PARAVER_TABLE_H
#define WTL_EXCHANGE_PARAVER_TABLE_H

#include <stdint.h>

#include <wattle/error.h>

#include "trace/writer.h"

/* Write the activities of the table's file to the trace, streaming; trace time = time of the file + offset_ns. */
int wtl_paraver_marks(const char *path,
                      int64_t offset_ns,
                      struct wtl_trace_writer *writer,
                      struct wattle_error *err);

#endif
