/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for MonEQ that reads its power itself: no collection, no files. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "powermon_bgq.h"

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 20000000};
    double domains[7], total = NAN;
    int status, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MonEQ_DisableAutoCollection();
    status = MonEQ_Initialize();
    int agent = MonEQ_MonitorAgentOnRank();
    if (agent) { /* until there are enough samples */
        for (int i = 0; i < 500 && isnan(total = MonEQ_GetDomainPower(domains)); i++)
            nanosleep(&pause, NULL);
        printf("power %.3f domains %.3f %.3f %.3f %.3f\n", total, domains[0], domains[1],
               domains[2], domains[5]);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* else the first to end would leave its seat to the other one */
    printf("rank %d: agent %d initialize %d power %.0f finalize %d\n", rank, agent, status,
           agent ? 0.0 : MonEQ_GetPower(), MonEQ_Finalize());
    MPI_Finalize();
    return 0;
}
