/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI library, opened when a program needs it: that of the launcher which started this rank.
 * Building needs neither mpi.h nor a library. The only handle used is MPI_COMM_WORLD, which is the
 * address of ompi_mpi_comm_world in Open MPI and the number 0x44000000 in MPICH and all libraries
 * with its ABI (Intel MPI, MVAPICH, Cray MPICH, ParaStation).
 */
#ifndef WTL_MPI_MPI_LIBRARY_H
#define WTL_MPI_MPI_LIBRARY_H

#include <stddef.h>

#include <wattle/error.h>

struct wtl_mpi_library {
    const char *name; /* as requested or found: "libmpi.so.40" */
    void *handle;
    void *world; /* NULL: MPICH's ABI */
    int (*init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*finalize)(void);
    void *comm_rank, *comm_size, *barrier; /* their first argument is a communicator */
    int (*version)(char *text, int *n);    /* NULL: older than MPI 3 */
    void *send, *receive, *byte;           /* MPI_Send, MPI_Recv; byte: NULL for MPICH's ABI */
};

/* Open it; `name` NULL: according to the launcher's variables. 0; -ENOENT if no launcher started
 * this process, or its library is not found; -ELIBBAD if it is not an MPI library; with a
 * message. */
int wtl_mpi_library_open(struct wtl_mpi_library *ret_library,
                         const char *name,
                         struct wattle_error *err);

/* Send n bytes to a rank, or receive them, on MPI_COMM_WORLD; blocks. 0, or -EIO if MPI fails,
 * -ENOTSUP if the library lacks the call. Only on the thread that initialised MPI. */
int wtl_mpi_send(const struct wtl_mpi_library *library, int to, const void *bytes, size_t n);
int wtl_mpi_receive(const struct wtl_mpi_library *library, int from, void *bytes, size_t n);

/* MPI_Comm_rank, MPI_Comm_size, MPI_Barrier on MPI_COMM_WORLD: return MPI's error code, 0 =
 * success. */
int wtl_mpi_rank(const struct wtl_mpi_library *library, int *ret_rank);
int wtl_mpi_size(const struct wtl_mpi_library *library, int *ret_size);
int wtl_mpi_barrier(const struct wtl_mpi_library *library);

/* Number of ranks the launcher started, according to its variables; -1 = unknown. */
int wtl_mpi_launched_size(void);

/* This rank's number on its node, according to the launcher's variables; -1 = unknown. */
int wtl_mpi_local_rank(void);

/* Number of ranks on this node, according to the launcher's variables; -1 = unknown. */
int wtl_mpi_local_size(void);

#endif
