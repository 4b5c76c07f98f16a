/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a trace that nobody named. */
#ifndef WTL_CLI_TRACE_NAME_H
#define WTL_CLI_TRACE_NAME_H

#include <stdbool.h>

/* "wattle-HOST-TIME-PID.wtl", malloc'ed for the caller to free; NULL without memory. */
char *wtl_trace_default_name(void);

/*
 * The trace for --output (NULL = not given): a file as it stands; in a folder (which it is, or which it says by a slash
 * at its end: then it is made) a name of its own with the node's, since many nodes may write there. many: of many
 * processes, without --output, too. Where the folder cannot be made the writer's sentence will say so. For the caller to
 * free; NULL without memory.
 */
char *wtl_trace_name(const char *output, const char *node, bool many);

#endif
