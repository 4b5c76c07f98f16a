/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program that calls nothing but the begin and the end. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rc = MPI_Init(&argc, &argv);

    return rc || MPI_Finalize();
}
