/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten waves of four threads, each with 25 calls: 1000 calls of threads that come and go. Without
 * MPI_THREAD_MULTIPLE: exit 4. */
#include <mpi.h>

#include <pthread.h>
#include <stddef.h>

static void *probe(void *unused)
{
    int flag;

    (void)unused;
    for (int i = 0; i < 25; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 4;
    for (int wave = 0; wave < 10; wave++) {
        for (int i = 0; i < 4; i++)
            if (pthread_create(&threads[i], NULL, probe, NULL) != 0)
                return 5;
        for (int i = 0; i < 4; i++)
            (void)pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
