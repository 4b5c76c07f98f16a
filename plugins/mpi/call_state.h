/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With tasks recorded (<wattle/task.h>), a call is a state: MPI, or IO for files. What it did is known once it has succeeded, and
 * belongs to the end of the state: partner, tag, communicator, bytes sent and received. Of the buffers of a
 * collective: bytes that this process gives and gets.
 */
#ifndef WATTLE_MPI_CALL_STATE_H
#define WATTLE_MPI_CALL_STATE_H

#include "call_words.h"
#include "requests.h"

enum { CALL_REQUESTS_MOST = 64 }; /* of a call, that are looked at */

/* Of a thread, for its outermost call. */
struct call_room {
    unsigned char statuses[CALL_REQUESTS_MOST * CALL_STATUS_BYTES];
    struct receive receives[CALL_REQUESTS_MOST]; /* by the place of the request */
    size_t count;
};

/* Enter the state; words may be changed: a status that the caller ignores is needed here. */
void call_state_enter(struct call_site *site, struct call_room *room, mpi_word *words);
/* Leave it, after the call has returned rc. */
void call_state_leave(const struct call_site *site,
                      struct call_room *room,
                      const mpi_word *words,
                      int rc);
/* The same if the call did not return. */
void call_state_abandon(const struct call_site *site);

#endif
