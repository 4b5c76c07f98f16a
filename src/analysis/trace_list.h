/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace list: the traces that the words of a command line name. */
#ifndef WTL_ANALYSIS_TRACE_LIST_H
#define WTL_ANALYSIS_TRACE_LIST_H

#include <stddef.h>

#include <wattle/error.h>

struct wtl_trace_list {
    char **paths; /* owned */
    size_t count;
};

/*
 * Append what a word names: a file; a folder (all *.wtl in it, in natural order); or several of
 * these, separated by commas. An existing file whose name contains a comma is taken as it is. Files
 * are not opened. 0; -ENOENT if a folder has no trace; -ENOMEM; errno of opendir(3); each with a
 * message.
 */
int wtl_trace_list_add(struct wtl_trace_list *list, const char *word, struct wattle_error *err);
void wtl_trace_list_fini(struct wtl_trace_list *list);

#endif
