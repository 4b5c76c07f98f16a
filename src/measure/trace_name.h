/* SPDX-License-Identifier: BSD-3-Clause */
/* Default names of traces. */
#ifndef WTL_MEASURE_TRACE_NAME_H
#define WTL_MEASURE_TRACE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

/* "wattle-HOST-TIME-PID.wtl", malloc'ed for the caller to free; NULL if out of memory. */
char *wtl_trace_default_name(void);

/*
 * The trace for --output (NULL = not given): a file name is used as it is; a folder (an existing
 * one, or a path ending in a slash, which is created) gets a unique file name with the node's name,
 * since many nodes may write there. many: one of many processes; then also without --output. If the
 * folder cannot be created, the writer's message says so. The caller frees it; NULL if out of
 * memory.
 */
char *wtl_trace_name(const char *output, const char *node, bool many);

/*
 * The absolute path of the node's trace: output itself, or, if that is a folder or ends in a slash,
 * wattle-<node>-<time>-<pid>.wtl in it (or -2.wtl, -3.wtl if that exists); the last folder of a
 * path that ends in a slash is created. Characters of the node's name that are not allowed in file
 * names become '-'. Returns 0, -ENAMETOOLONG, or -errno.
 */
int wtl_trace_path(const char *output, const char *node, char *path, size_t n);

/*
 * The folder that the setting trace-dir names, with a slash at its end: "~/" is HOME. It is created, with the folders
 * above it. 0 or -errno with a message; path is then set all the same.
 */
int wtl_trace_folder(const char *setting, char *path, size_t n, struct wattle_error *err);

#endif
