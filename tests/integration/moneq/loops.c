/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for MonEQ on Blue Gene/Q: two lines of set-up, six of tags around three loops, and nothing of wattle.
 * Prints for each rank whether it has the agent, and what the calls returned. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "powermon_bgq.h"

static double loop(int times)
{
    const struct timespec pause = {0, 20000000};
    double sum = 0;
    for (int i = 0; i < times; i++) {
        for (int k = 1; k < 20000; k++)
            sum += 1.0 / k;
        nanosleep(&pause, NULL);
    }
    return sum;
}

int main(int argc, char **argv)
{
    int status, rank, ranks, start, end = 0, all = 0;
    char first[] = "assemble";
    double sum = 0;
    status = MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    status = MonEQ_Initialize();
    int agent = MonEQ_MonitorAgentOnRank();

    start = MonEQ_StartPowerTag(first);
    first[0] = 'x'; /* the name is copied */
    sum += loop(15);
    first[0] = 'a';
    end = MonEQ_EndPowerTag(first);
    all += start + end;
    all += MonEQ_StartPowerTag("solve");
    sum += loop(20);
    all += MonEQ_EndPowerTag("solve");
    all += MonEQ_StartPowerTag("write");
    sum += loop(10);
    all += MonEQ_EndPowerTag("write");

    double watts = MonEQ_GetPower();
    MPI_Barrier(MPI_COMM_WORLD);
    int ended = MonEQ_Finalize();
    printf("rank %d of %d: agent %d initialize %d tags %d watts %.3f finalize %d%s\n", rank, ranks,
           agent, status, all, watts, ended, sum > 0 ? "" : "?");
    MPI_Finalize();
    return 0;
}
