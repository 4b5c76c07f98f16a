/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few MPI calls that wattle itself makes, on a separate communicator, using the PMPI names so
 * that no other tool sees them. Two ABIs: Open MPI's handles are addresses of objects in the
 * library; those of MPICH and all libraries with its ABI (Intel MPI, MVAPICH, Cray MPICH,
 * ParaStation) are numbers. Only bytes are sent.
 */
#ifndef WATTLE_MPI_HANDLES_H
#define WATTLE_MPI_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "next.h"

struct mpi_handles {
    mpi_word world, byte;
    bool open_mpi; /* its ABI; else that of MPICH */
    mpi_word comm; /* a copy of world; 0 = none yet */
    int rank, ranks;
    int spawned; /* started by MPI_Comm_spawn: its MPI_COMM_WORLD differs from that of the original
                  * ranks */
};

/* Each returns 0, or -1 if MPI fails. Sends nothing: finds the ranks, and whether they were
 * spawned. Fails without changes if the ABI is unknown. */
int mpi_handles_open(struct mpi_handles *ret);

/* Copy world. Collective over all ranks, as is closing it. */
int mpi_handles_copy(struct mpi_handles *h);
void mpi_handles_close(struct mpi_handles *h);

/* On the copy of world; everything is sent as bytes. */
int mpi_handles_allgather(const struct mpi_handles *h,
                          const void *mine,
                          size_t size,
                          void *ret_all);
int mpi_handles_broadcast(const struct mpi_handles *h, void *bytes, size_t size); /* from rank 0 */
int mpi_handles_send(const struct mpi_handles *h, int to, const void *bytes, size_t size);
int mpi_handles_receive(const struct mpi_handles *h, int from, void *ret_bytes, size_t size);

#endif
