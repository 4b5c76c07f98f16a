/* SPDX-License-Identifier: BSD-3-Clause */
/* Another MPI tool: counts MPI_Init, MPI_Finalize and MPI_Allreduce, continues with the PMPI names as most tools do (or
 * with the next function of the name with -DPOLITE), and reports at its end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int inits, finalizes, allreduces;

#ifdef POLITE
#    define NEXT(name, type) ((type)dlsym(RTLD_NEXT, "MPI_" #    name))
#else
#    define NEXT(name, type) ((type)PMPI_##name)
#endif

int MPI_Init(int *argc, char ***argv)
{
    inits++;
    return NEXT(Init, int (*)(int *, char ***))(argc, argv);
}

int MPI_Allreduce(const void *send,
                  void *receive,
                  int n,
                  MPI_Datatype type,
                  MPI_Op op,
                  MPI_Comm comm)
{
    allreduces++;
    return NEXT(Allreduce, int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))(
        send, receive, n, type, op, comm);
}

int MPI_Finalize(void)
{
    int rank;

    finalizes++;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)fprintf(stderr, "tool: rank %d: %d init, %d finalize, %d allreduce\n", rank, inits,
                  finalizes, allreduces);
    return NEXT(Finalize, int (*)(void))();
}
