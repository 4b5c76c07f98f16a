/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program that calls only the begin and the end, or with a number only the begin, and exits with that status. It
 * runs until all ranks have begun. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rc = MPI_Init(&argc, &argv);

    if (rc || argc > 1)
        return rc ? rc : (int)strtol(argv[1], NULL, 10);
    (void)usleep(400000);
    return MPI_Finalize();
}
