/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run names: the runs that the words of a command line name, the same for every verb. A folder
 * means the traces directly in it (analysis/trace_list.h), grouped into runs by their run.id: those
 * of all nodes of a job are one run, a trace without an id is a separate run. Several names
 * separated by commas are grouped in the same way; a file is itself.
 *
 * Each run has one name that can be typed: its file, the folder that contains only this run, or its
 * traces separated by commas.
 */
#ifndef WTL_ANALYSIS_RUN_NAMES_H
#define WTL_ANALYSIS_RUN_NAMES_H

#include <stdbool.h>

#include <wattle/error.h>

#include "analysis/trace_list.h"
#include "trace/reader.h"

/* Append the names of the runs of a word. A named file is not opened; what cannot be read in a
 * folder is skipped and counted in the list. 0; -ENOENT if a folder has no readable trace; and as
 * wtl_trace_list_add(). */
int wtl_run_names_add(struct wtl_trace_list *names, const char *word, struct wattle_error *err);

/* The same for a verb that takes one run: -EINVAL, with the names of the runs, if there are
 * several. */
int wtl_run_name_single(struct wtl_trace_list *names, const char *word, struct wattle_error *err);

/* Is it a run of several traces, or a run file, to be read by wtl_run_open()? False: a single
 * trace, or nothing. */
bool wtl_run_name_is_run(const char *name);

/* The first trace of a name, for facts that are the same on all nodes. The caller closes it. */
int wtl_run_name_open_first(const char *name,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

#endif
