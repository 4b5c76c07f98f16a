/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI library, opened when a program needs it: that of the launcher which started this rank. Neither
 * mpi.h nor a library is needed to build. The only handle that is used is MPI_COMM_WORLD, which is the address of
 * ompi_mpi_comm_world in Open MPI and the number 0x44000000 in MPICH and all that keep its binary
 * interface (Intel MPI, MVAPICH, Cray MPICH, ParaStation).
 */
#ifndef WTL_MPI_MPI_LIBRARY_H
#define WTL_MPI_MPI_LIBRARY_H

#include <stddef.h>

#include <wattle/error.h>

struct wtl_mpi_library {
    const char *name; /* as asked for or found: "libmpi.so.40" */
    void *handle;
    void *world; /* NULL: of MPICH's kind */
    int (*init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*finalize)(void);
    void *comm_rank, *comm_size, *barrier; /* their first argument is a communicator */
    int (*version)(char *text, int *n);    /* NULL: older than MPI 3 */
    void *send, *receive, *byte;           /* MPI_Send, MPI_Recv; byte: NULL of MPICH's kind */
};

/* Open it; `name` NULL: by the launcher's variables. 0; -ENOENT when no launcher started this, or its library is not
 * found; -ELIBBAD when it is no MPI library; with a sentence. */
int wtl_mpi_library_open(struct wtl_mpi_library *ret_library,
                         const char *name,
                         struct wattle_error *err);

/* n bytes to a rank, or from one, on MPI_COMM_WORLD; blocks. 0, or -EIO when MPI says no, -ENOTSUP when the library has no
 * such call. Only the thread that initialised MPI. */
int wtl_mpi_send(const struct wtl_mpi_library *library, int to, const void *bytes, size_t n);
int wtl_mpi_receive(const struct wtl_mpi_library *library, int from, void *bytes, size_t n);

/* MPI_Comm_rank, MPI_Comm_size, MPI_Barrier on MPI_COMM_WORLD: MPI's own code, 0 = good. */
int wtl_mpi_rank(const struct wtl_mpi_library *library, int *ret_rank);
int wtl_mpi_size(const struct wtl_mpi_library *library, int *ret_size);
int wtl_mpi_barrier(const struct wtl_mpi_library *library);

/* How many ranks the launcher started, by its variables; -1 = it does not say. */
int wtl_mpi_launched_size(void);

/* This rank's number on its node by the launcher's variables; -1 = unknown. */
int wtl_mpi_local_rank(void);

/* How many ranks are on this node, by the launcher's variables; -1 = unknown. */
int wtl_mpi_local_size(void);

#endif
