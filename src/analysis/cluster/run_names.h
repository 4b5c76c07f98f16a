/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run names: the runs that the words of a command line name, the same for every verb. A folder
 * means the traces directly in it (analysis/traces/trace_list.h), grouped into runs by their run.id: those
 * of all nodes of a job are one run, a trace without an id is a separate run. Several names
 * separated by commas are grouped in the same way; a file is itself.
 *
 * Each run has one name that can be typed: its file, the folder that contains only this run, or its
 * traces separated by commas.
 */
#ifndef WTL_ANALYSIS_RUN_NAMES_H
#define WTL_ANALYSIS_RUN_NAMES_H

#include <wattle/error.h>

#include "analysis/cluster/run_name.h"
#include "analysis/traces/trace_list.h"

/* Append the names of the runs of a word. A named file is not opened; what cannot be read in a
 * folder is skipped and counted in the list. 0; -ENOENT if a folder has no readable trace; and as
 * wtl_trace_list_add(). */
int wtl_run_names_add(struct wtl_trace_list *names, const char *word, struct wattle_error *err);

/* The same for a verb that takes one run: -EINVAL, with the names of the runs, if there are
 * several. */
int wtl_run_name_single(struct wtl_trace_list *names, const char *word, struct wattle_error *err);

#endif
