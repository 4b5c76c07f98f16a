/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI 4 without MPI_Init: a session with 20 MPI_Allreduce. (MPICH 4.0.2 does not support a second one after it.) */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    double one = 1, sum = 0;

    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        return 3;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "session", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    for (int k = 0; k < 20; k++)
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
