/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few calls that wattle itself makes, on a communicator of its own, by the names with P, so that they concern no other
 * tool. Two binary interfaces: Open MPI's handles are addresses of objects in the library; those of MPICH and all
 * that keep its interface (Intel MPI, MVAPICH, Cray MPICH, ParaStation) are numbers. Bytes are all that is sent.
 */
#ifndef WATTLE_MPI_HANDLES_H
#define WATTLE_MPI_HANDLES_H

#include <stddef.h>
#include <stdint.h>

#include "next.h"

struct mpi_handles {
    mpi_word world, byte;
    mpi_word comm; /* a copy of world; 0 = none yet */
    int rank, ranks;
    int spawned; /* by MPI_Comm_spawn: another MPI_COMM_WORLD than the one of those who were there first */
};

/* Each returns 0, or -1 when MPI says no. Nothing is sent: ranks, and whether they were spawned. Fails without changes when the
 * binary interface is not known. */
int mpi_handles_open(struct mpi_handles *ret);

/* The copy of world. Collective over all ranks, the close of it as well. */
int mpi_handles_copy(struct mpi_handles *h);
void mpi_handles_close(struct mpi_handles *h);

/* On the copy of world; all by bytes. */
int mpi_handles_allgather(const struct mpi_handles *h,
                          const void *mine,
                          size_t size,
                          void *ret_all);
int mpi_handles_broadcast(const struct mpi_handles *h, void *bytes, size_t size); /* from rank 0 */
int mpi_handles_send(const struct mpi_handles *h, int to, const void *bytes, size_t size);
int mpi_handles_receive(const struct mpi_handles *h, int from, void *ret_bytes, size_t size);

#endif
