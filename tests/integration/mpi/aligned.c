/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 runs five tasks during which the node takes 200 W instead of 20 W; rank 0, on another node, waits. An event says when the
 * step was certainly done. */
#include <mpi.h>

#include <stdlib.h>
#include <time.h>
#include <wattle/region.h>
#include <wattle/task.h>

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    uint32_t step = wattle_region_id("step");
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned i = 1; i <= 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        pause_ms(300);
        if (rank == 1) {
            wattle_task_mark(WATTLE_TASK_CREATE, step, i);
            wattle_task_mark(WATTLE_TASK_RUN, step, i);
            if (system(argv[1]) != 0)
                MPI_Abort(MPI_COMM_WORLD, 3);
            wattle_event(7, i);
            pause_ms(300);
            wattle_task_mark(WATTLE_TASK_DONE, step, i);
            if (system(argv[2]) != 0)
                MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
