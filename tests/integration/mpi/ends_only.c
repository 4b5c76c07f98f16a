/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program that calls nothing but the begin and the end, or with a word the begin only. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rc = MPI_Init(&argc, &argv);

    return rc || (argc < 2 && MPI_Finalize());
}
