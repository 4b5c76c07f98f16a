/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace list: the traces that the words of a command line name. */
#ifndef WTL_ANALYSIS_TRACE_LIST_H
#define WTL_ANALYSIS_TRACE_LIST_H

#include <stddef.h>

#include <wattle/error.h>

struct wtl_trace_list {
    char **paths; /* owned */
    size_t count;
    size_t left_count; /* skipped entries of folders, and copies */
    size_t copies;     /* of these: runs that were there already (cluster/run_set.h) */
    char *left; /* the first of them with the reason: "traces/notes.txt: not a trace"; owned */
};

/*
 * Append what a word names: a file; a folder (the traces directly in it, in natural order); or several of
 * these, separated by commas. An existing file whose name contains a comma is taken as it is. A trace in a
 * folder is a regular file that is named *.wtl or begins as a trace; other entries are skipped. Hidden entries and
 * what wattle writes next to traces are not counted. 0; -ENOENT if a folder has no trace; -ENOMEM; errno
 * of opendir(3); each with a message.
 */
int wtl_trace_list_add(struct wtl_trace_list *list, const char *word, struct wattle_error *err);
void wtl_trace_list_fini(struct wtl_trace_list *list);

/* Append one path as it is, taking ownership. 0 or -ENOMEM. */
int wtl_trace_list_append(struct wtl_trace_list *list, char *path);
/* Record an entry of a folder that cannot be used. 0 or -ENOMEM. */
int wtl_trace_list_leave(struct wtl_trace_list *list, const char *path, const char *why);

#endif
