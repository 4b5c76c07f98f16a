/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run names: the runs that the words of a command line name, the same for every verb. A folder is the traces directly in it
 * (analysis/trace_list.h), grouped into runs by their run.id: those of all nodes of a job are one run, a trace without an
 * id is a run on its own. Several names with commas are grouped likewise; a file is itself.
 *
 * A run has one name again, which can be typed: its file, the folder that holds only this run, or its traces with commas.
 */
#ifndef WTL_ANALYSIS_RUN_NAMES_H
#define WTL_ANALYSIS_RUN_NAMES_H

#include <stdbool.h>

#include <wattle/error.h>

#include "analysis/trace_list.h"
#include "trace/reader.h"

/* Append the names of the runs of a word. A file that is named is not looked into; what cannot be read in a folder is
 * left out and counted in the list. 0; -ENOENT when a folder has no trace that can be read; and as wtl_trace_list_add(). */
int wtl_run_names_add(struct wtl_trace_list *names, const char *word, struct wattle_error *err);

/* The same for a verb that takes one run: -EINVAL, with the runs by name, when there are several. */
int wtl_run_name_single(struct wtl_trace_list *names, const char *word, struct wattle_error *err);

/* Is it a run of several traces, or a run file, and so read by wtl_run_open()? False: one trace, or nothing. */
bool wtl_run_name_is_run(const char *name);

/* The first trace of a name, for what is the same on all nodes. The caller closes it. */
int wtl_run_name_open_first(const char *name,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

#endif
