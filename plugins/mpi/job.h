/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens between MPI_Init and MPI_Finalize, apart from the calls: starts and stops the
 * profiler, and compares each node's clock with that of rank 0's node. Not thread-safe, like
 * MPI_Init and MPI_Finalize. */
#ifndef WATTLE_MPI_JOB_H
#define WATTLE_MPI_JOB_H

#include <stdbool.h>

/* All ranks have returned from MPI_Init. Collective if the nodes' clocks are compared. */
void job_begin(void);
/* All ranks are about to call MPI_Finalize. Collective as above. Does nothing if job_begin() was
 * not called. */
void job_end(void);
/* This rank is about to terminate all others, and itself. */
void job_abort(void);
/* A session of MPI 4 has begun, or is about to end: not collective; the measurement ends with the
 * process. */
void job_session_begin(void);
void job_session_end(void);

bool job_was_seen(void); /* one of these was called */

/* One sentence on stderr, unless WATTLE_QUIET=1. */
void job_say(const char *sentence);

#endif
