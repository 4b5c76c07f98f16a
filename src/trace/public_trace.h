/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the public reading. */
#ifndef WTL_TRACE_PUBLIC_TRACE_H
#define WTL_TRACE_PUBLIC_TRACE_H

#include <wattle/trace.h>

#include "trace/reader.h"

/* The reader of a trace, borrowed until it is closed. */
struct wtl_trace_reader *wtl_public_trace_reader(const struct wattle_trace *trace);

#endif
