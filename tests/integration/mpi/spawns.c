/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that start two others, which have a separate MPI_COMM_WORLD. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm other;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
