/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten waves of four threads, each with 25 calls: 1000 calls of threads that come and go. Then, with an argument, four
 * threads that wait concurrently for a message which the main thread sends after 0.4 s: 9 more calls. Without
 * MPI_THREAD_MULTIPLE: exit 4. */
#include <mpi.h>

#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void *probe(void *unused)
{
    int flag;

    (void)unused;
    for (int i = 0; i < 25; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return NULL;
}

static void *wait_for(void *tag)
{
    int word;

    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

/* To itself. */
static int side_by_side(pthread_t threads[4])
{
    const struct timespec pause = {.tv_nsec = 400000000};
    int tags[4] = {11, 12, 13, 14}, rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, wait_for, &tags[i]) != 0)
            return 5;
    (void)nanosleep(&pause, NULL);
    for (int i = 0; i < 4; i++)
        MPI_Send(&rank, 1, MPI_INT, rank, tags[i], MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    int provided, rc = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 4;
    PMPI_Barrier(
        MPI_COMM_WORLD); /* not counted: MPICH lets a rank end before another one has begun */
    for (int wave = 0; wave < 10; wave++) {
        for (int i = 0; i < 4; i++)
            if (pthread_create(&threads[i], NULL, probe, NULL) != 0)
                return 5;
        for (int i = 0; i < 4; i++)
            (void)pthread_join(threads[i], NULL);
    }
    if (argc > 1)
        rc = side_by_side(threads);
    MPI_Finalize();
    return rc;
}
