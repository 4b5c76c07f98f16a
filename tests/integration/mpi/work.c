/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI program with a known number of calls per rank (CALLS of mpi.py), and a known minimum time that all ranks
 * except 0 wait in one of them.
 *
 *     work [init|thread] [end|abort|hang]
 *
 * abort: rank 1 calls MPI_Abort(.., 3). hang: rank 1 waits forever, and the others for it in MPI_Barrier, once rank 0
 * has written "ready PID" to stderr.
 */
#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "end";
    int rank, ranks, provided, from = -1;
    double sum = 0, one = 1;
    MPI_Request requests[2];
    MPI_Comm copy;

    if (argc > 1 && !strcmp(argv[1], "thread"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 50; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Irecv(&from, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
    if (rank == 0)
        pause_ms(200);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && !strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(how, "hang") && rank == 0)
        (void)fprintf(stderr, "ready %ld\n", (long)getpid());
    while (!strcmp(how, "hang") && rank == 1)
        (void)pause();
    if (!strcmp(how, "hang"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        (void)printf("sum %g, from %d\n", sum, from);
    MPI_Finalize();
    return 0;
}
