/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives that are posted and not complete, and persistent requests: what is known of the message when it is started
 * or completes. A bounded table; what does not fit is unknown later. */
#ifndef WATTLE_MPI_REQUESTS_H
#define WATTLE_MPI_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "next.h"

struct receive {
    mpi_word request; /* handle; 0 = none */
    uint64_t comm;    /* number */
    int64_t peer;     /* as posted; rank in MPI_COMM_WORLD, -1 = any */
    int64_t tag;
    int64_t bytes;   /* of a persistent send; -1 = unknown */
    bool world;      /* the ranks in a status are those of MPI_COMM_WORLD */
    bool persistent; /* stays until it is freed */
    bool sends;      /* persistent, and no receive */
    bool active;     /* persistent, and started */
};

void requests_put(const struct receive *receive);
/* Take it out of the table, if it is there: before the call that may complete it, since the handle may be used again
 * as soon as it is complete. */
bool requests_take(mpi_word request, struct receive *ret);

#endif
