/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place where failed writes to a stream are noticed: writers go on, the end looks. */
#ifndef WTL_BASE_FLUSH_H
#define WTL_BASE_FLUSH_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

/* Flush, and turn a failure of any earlier write into -errno with a sentence and its remedy. 0 else. */
int wtl_flush(FILE *out, struct wattle_error *err);

/* Has wtl_flush() found a pipe that its reader had closed ("| head"), in any thread? */
bool wtl_pipe_closed(void);

#endif
