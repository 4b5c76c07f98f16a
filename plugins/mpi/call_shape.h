/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments of MPI calls: which of them say how much goes where. A call is described by a letter per argument:
 *
 *     n N  count that is sent, received (also: counts of the root's partners)
 *     m M  array of counts, one for each process of the communicator
 *     t T  their types
 *     d s  rank of the destination, of the source     g G  tag that is sent, received
 *     R    root          c  communicator              C  communicator that the call makes
 *     r    request       A  array of requests         k  their number
 *     S    status        Z  array of statuses         f  flag
 *     i    index of the request that is complete      o I  number and array of such indices
 *     .    anything else
 */
#ifndef WATTLE_MPI_CALL_SHAPE_H
#define WATTLE_MPI_CALL_SHAPE_H

#include <stdint.h>

enum call_kind {
    CALL_OTHER,
    CALL_SEND,
    CALL_RECEIVE,
    CALL_POST,            /* receive, complete later */
    CALL_PREPARE_SEND,    /* persistent */
    CALL_PREPARE_RECEIVE, /* likewise */
    CALL_START,
    CALL_FREE, /* a request */
    CALL_SENDRECV,
    CALL_REPLACE,
    CALL_PROBE,
    CALL_COMPLETE,
    CALL_BCAST,
    CALL_REDUCE,
    CALL_ALLREDUCE,
    CALL_REDUCE_SCATTER,
    CALL_GATHER,
    CALL_SCATTER,
    CALL_ALLGATHER,
    CALL_ALLTOALL,
    CALL_NEIGHBOR_ALLGATHER,
    CALL_NEIGHBOR_ALLTOALL,
    CALL_PUT,
    CALL_GET,
    CALL_FILE
};

struct call_shape {
    enum call_kind kind;
    const char *letters;
};

/* Of "MPI_Send", "MPI_Send_c". A call without what is of interest: CALL_OTHER, "". */
struct call_shape call_shape_of(const char *name);

/* Place of the argument with this letter, or -1. */
int call_shape_place(const struct call_shape *shape, char letter);

#endif
