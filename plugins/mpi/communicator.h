/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a communicator is, for marks of calls: the ranks of its processes in MPI_COMM_WORLD, and a number that is the same
 * in all of them. MPI keeps it at the communicator as an attribute, so a handle that is used again never gives the old one.
 */
#ifndef WATTLE_MPI_COMMUNICATOR_H
#define WATTLE_MPI_COMMUNICATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "next.h"

struct communicator {
    uint64_t number; /* 1 = MPI_COMM_WORLD; others: from the ranks and the order of creation */
    int rank, size;  /* of this process in its (local) group, and that group's */
    int peers;       /* ranks that can be addressed: of the remote group, if it is between two */
    bool between;    /* an intercommunicator */
    bool world;      /* ranks are those of MPI_COMM_WORLD */
    int in, out;     /* neighbours in its topology; 0 = none */
    uint64_t no_neighbour; /* bit i: of a grid, neighbour i is beyond its edge */
    int ranks[];           /* of the peers in MPI_COMM_WORLD */
};

/* MPI is initialized, with known handles (handles.h). open_mpi: its ABI, else that of MPICH. */
void communicators_open(mpi_word world, int rank, int size, bool open_mpi);
void communicators_close(void);

/* NULL = unknown. The first use of a communicator must be on all its processes in the same order as others with the same
 * processes, as creating them is. */
const struct communicator *communicator_of(mpi_word handle);

/* -1 = any, none or unknown. comm may be NULL. */
int64_t communicator_world_rank(const struct communicator *comm, int rank);

#endif
