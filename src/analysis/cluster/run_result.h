/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a run from its trace: the same as "wattle run" printed. */
#ifndef WTL_ANALYSIS_RUN_RESULT_H
#define WTL_ANALYSIS_RUN_RESULT_H

#include <wattle/error.h>

#include "model/result.h"
#include "trace/reader.h"

/*
 * Fill *ret_result from a trace; path becomes its `trace`. A trace without a footer, live or cut
 * off, gives what its blocks contain, with the flag UNFINISHED; one with unreadable parts has the
 * flag DAMAGED. Metadata that are absent or not numeric are unknown. The caller owns the result
 * (wtl_result_fini()). Returns 0; -ENOMEM; or the reader's error.
 */
int wtl_run_result_read(struct wtl_trace_reader *reader,
                        const char *path,
                        struct wtl_result *ret_result,
                        struct wattle_error *err);

/* Its flags about the file alone: UNFINISHED, DAMAGED, NOT_SHOWN. 0 or -ENOMEM. */
int wtl_run_result_flag(const struct wtl_trace_reader *reader, struct wtl_result *result);

#endif
