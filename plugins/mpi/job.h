/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens between MPI_Init and MPI_Finalize, apart from the calls: the profiler begins and ends, each node's clock is
 * compared to that of rank 0's node. Not thread-safe: as MPI_Init and MPI_Finalize are not. */
#ifndef WATTLE_MPI_JOB_H
#define WATTLE_MPI_JOB_H

#include <stdbool.h>

/* All ranks have come out of MPI_Init. Collective where the nodes' clocks are to be compared. */
void job_begin(void);
/* All ranks are about to go into MPI_Finalize. Collective as above. Does nothing when job_begin() was not called. */
void job_end(void);
/* This rank is about to end all others, and itself. */
void job_abort(void);
/* A session of MPI 4 has begun, or is about to end: nothing collective; the measurement ends with the process. */
void job_session_begin(void);
void job_session_end(void);

bool job_was_seen(void); /* any of these was called */

/* One sentence on stderr, unless WATTLE_QUIET=1. */
void job_say(const char *sentence);

#endif
