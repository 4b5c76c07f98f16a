/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of traces that nobody named. */
#ifndef WTL_MEASURE_TRACE_NAME_H
#define WTL_MEASURE_TRACE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* "wattle-HOST-TIME-PID.wtl", malloc'ed for the caller to free; NULL without memory. */
char *wtl_trace_default_name(void);

/*
 * The trace for --output (NULL = not given): a file as it stands; in a folder (which it is, or which it says by a slash
 * at its end: then it is made) a name of its own with the node's, since many nodes may write there. many: of many
 * processes, without --output, too. Where the folder cannot be made the writer's sentence will say so. For the caller to
 * free; NULL without memory.
 */
char *wtl_trace_name(const char *output, const char *node, bool many);

/*
 * The absolute path of the node's trace: output itself, or, when that is a folder or ends in a slash,
 * wattle-<node>-<time>-<pid>.wtl in it (or -2.wtl, -3.wtl where that is there); the last folder of a path with a slash at its end is made. Characters of the
 * node's name that have no place in a file's name become '-'. Returns 0, -ENAMETOOLONG, or -errno.
 */
int wtl_trace_path(const char *output, const char *node, char *path, size_t n);

#endif
