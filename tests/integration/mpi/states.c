/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with known partners, tags and bytes, on 3 ranks; states (the test) has the same list. */
#include <mpi.h>

#include <stddef.h>
#include <stdio.h>

static int rank, ranks, words[256], left, right;
static double numbers[256];

static void point_to_point(void)
{
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Datatype three;
    int index;

    if (rank == 0)
        MPI_Send(words, 100, MPI_INT, right, 5, MPI_COMM_WORLD);
    MPI_Recv(words, 200, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(words, 100, MPI_INT, right, 5 + rank, MPI_COMM_WORLD);
    MPI_Irecv(numbers, 60, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(numbers + 100, 50, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(words, 9, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Sendrecv(words + 20, 3, MPI_CHAR, right, 9, words + 40, 30, MPI_CHAR, MPI_PROC_NULL, 9,
                 MPI_COMM_WORLD, &status);
    MPI_Waitany(1, requests, &index, &status);
    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    MPI_Sendrecv(numbers, 2, three, left, 1, numbers + 100, 100, MPI_DOUBLE, right, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&three);
}

static void collectives(void)
{
    int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3}, equal[3] = {2, 2, 2}, even[3] = {0, 2, 4};

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(numbers, 8, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Reduce(numbers, numbers + 100, 4, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, numbers, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : words, 2, MPI_INT, words + 100, 2, MPI_INT, 0,
               MPI_COMM_WORLD);
    MPI_Scatterv(words, counts, places, MPI_INT, words + 100, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(words, rank + 1, MPI_INT, words + 100, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(words, 2, MPI_INT, words + 100, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(words, equal, even, MPI_INT, words + 100, equal, even, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(words, words + 100, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Ranks in it are reversed. */
static void communicators(void)
{
    MPI_Comm reversed, copy;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_dup(reversed, &copy);
    if (rank == 2)
        MPI_Send(words, 4, MPI_INT, 2, 3, reversed);
    if (rank == 0)
        MPI_Recv(words, 4, MPI_INT, 0, 3, reversed, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&reversed);
}

static void persistent(void)
{
    MPI_Request requests[2];

    MPI_Recv_init(words, 60, MPI_INT, left, 11, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(words + 100, 50, MPI_INT, right, 11, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* not started: nothing */
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* A line of three, whose ends have one neighbour; then a ring in one direction. */
static void neighbors(void)
{
    int three = 3, open_end = 0, sent = rank + 1, received = left + 1, zero = 0;
    MPI_Comm line, ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &three, &open_end, 0, &line);
    MPI_Neighbor_allgather(words, 3, MPI_INT, words + 100, 3, MPI_INT, line);
    MPI_Neighbor_alltoall(words, 2, MPI_INT, words + 100, 2, MPI_INT, line);
    MPI_Comm_free(&line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_alltoallv(words, &sent, &zero, MPI_INT, words + 100, &received, &zero, MPI_INT,
                           ring);
    MPI_Comm_free(&ring);
}

static void files(void)
{
    MPI_File file;

    if (MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ==
        MPI_SUCCESS)
        MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + 2) % 3;
    right = (rank + 1) % 3;
    if (ranks != 3)
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (rank == 0)
        words[0] = 42;
    point_to_point();
    collectives();
    communicators();
    persistent();
    neighbors();
    files();
    MPI_Finalize();
    return 0;
}
