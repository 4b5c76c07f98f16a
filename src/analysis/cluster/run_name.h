/* SPDX-License-Identifier: BSD-3-Clause */
/* Run name: one name of a run that can be typed (run_names.h): a file, a folder, or traces separated by commas. */
#ifndef WTL_ANALYSIS_RUN_NAME_H
#define WTL_ANALYSIS_RUN_NAME_H

#include <stdbool.h>

#include <wattle/error.h>

#include "trace/reader.h"

bool wtl_run_name_is_folder(const char *name);
bool wtl_run_name_is_list(const char *name); /* separated by commas, and no file */

/* Is it a run of several traces, or a run file, to be read by wtl_run_open()? False: a single
 * trace, or nothing. */
bool wtl_run_name_is_run(const char *name);

/* The first trace of a name, for facts that are the same on all nodes. The caller closes it. */
int wtl_run_name_open_first(const char *name,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

#endif
