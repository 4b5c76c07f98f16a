/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a base: from traces, folders of traces and JSON results. */
#ifndef WTL_CLI_BASE_RUNS_H
#define WTL_CLI_BASE_RUNS_H

#include <stddef.h>

#include <wattle/error.h>

#include "analysis/results.h"
#include "model/result.h"

/*
 * Read everything that the words name (trace_list.h), in order: traces, and JSON documents of results.
 * To be freed by wtl_run_results_free(). 0, or -errno with a sentence.
 */
int wtl_base_runs_read(const char *const *words,
                       size_t count,
                       struct wtl_result **ret_results,
                       size_t *ret_count,
                       struct wattle_error *err);

#endif
