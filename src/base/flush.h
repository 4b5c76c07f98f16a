/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that detects failed writes to a stream: writers do not check, the final flush does. */
#ifndef WTL_BASE_FLUSH_H
#define WTL_BASE_FLUSH_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

/* Flush, and turn a failure of any earlier write into -errno with a message and its remedy. Otherwise 0. */
int wtl_flush(FILE *out, struct wattle_error *err);

/* Whether wtl_flush(), in any thread, found a pipe that its reader had closed ("| head"). */
bool wtl_pipe_closed(void);

#endif
