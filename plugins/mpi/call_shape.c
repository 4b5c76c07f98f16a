/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_shape.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A nonblocking collective ("Ibcast") is as the blocking one, with a request at its end. */
static const struct {
    const char *name;
    struct call_shape shape;
} shapes[] = {
    {"Send", {CALL_SEND, ".ntdgc"}},
    {"Bsend", {CALL_SEND, ".ntdgc"}},
    {"Ssend", {CALL_SEND, ".ntdgc"}},
    {"Rsend", {CALL_SEND, ".ntdgc"}},
    {"Isend", {CALL_SEND, ".ntdgcr"}},
    {"Ibsend", {CALL_SEND, ".ntdgcr"}},
    {"Issend", {CALL_SEND, ".ntdgcr"}},
    {"Irsend", {CALL_SEND, ".ntdgcr"}},
    {"Send_init", {CALL_PREPARE_SEND, ".ntdgcr"}},
    {"Bsend_init", {CALL_PREPARE_SEND, ".ntdgcr"}},
    {"Ssend_init", {CALL_PREPARE_SEND, ".ntdgcr"}},
    {"Rsend_init", {CALL_PREPARE_SEND, ".ntdgcr"}},
    {"Recv_init", {CALL_PREPARE_RECEIVE, ".NTsGcr"}},
    {"Start", {CALL_START, "A"}},
    {"Startall", {CALL_START, "kA"}},
    {"Request_free", {CALL_FREE, "A"}},
    {"Recv", {CALL_RECEIVE, ".NTsGcS"}},
    {"Irecv", {CALL_POST, ".NTsGcr"}},
    {"Sendrecv", {CALL_SENDRECV, ".ntdg.NTsGcS"}},
    {"Sendrecv_replace", {CALL_REPLACE, ".ntdgsGcS"}},
    {"Probe", {CALL_PROBE, "sGcS"}},
    {"Mprobe", {CALL_PROBE, "sGc.S"}},
    {"Iprobe", {CALL_OTHER, "sGcfS"}},
    {"Improbe", {CALL_OTHER, "sGcf.S"}},
    {"Wait", {CALL_COMPLETE, "AS"}},
    {"Waitall", {CALL_COMPLETE, "kAZ"}},
    {"Waitany", {CALL_COMPLETE, "kAiS"}},
    {"Waitsome", {CALL_COMPLETE, "kAoIZ"}},
    {"Test", {CALL_COMPLETE, "AfS"}},
    {"Testall", {CALL_COMPLETE, "kAfZ"}},
    {"Testany", {CALL_COMPLETE, "kAifS"}},
    {"Testsome", {CALL_COMPLETE, "kAoIZ"}},
    {"Barrier", {CALL_OTHER, "c"}},
    {"Bcast", {CALL_BCAST, ".ntRc"}},
    {"Reduce", {CALL_REDUCE, "..nt.Rc"}},
    {"Allreduce", {CALL_ALLREDUCE, "..nt.c"}},
    {"Scan", {CALL_ALLREDUCE, "..nt.c"}},
    {"Exscan", {CALL_ALLREDUCE, "..nt.c"}},
    {"Reduce_scatter", {CALL_REDUCE_SCATTER, "..MT.c"}},
    {"Reduce_scatter_block", {CALL_REDUCE_SCATTER, "..NT.c"}},
    {"Gather", {CALL_GATHER, ".nt.NTRc"}},
    {"Gatherv", {CALL_GATHER, ".nt.M.TRc"}},
    {"Scatter", {CALL_SCATTER, ".nt.NTRc"}},
    {"Scatterv", {CALL_SCATTER, ".m.t.NTRc"}},
    {"Allgather", {CALL_ALLGATHER, "....NTc"}},
    {"Allgatherv", {CALL_ALLGATHER, "....M.Tc"}},
    {"Alltoall", {CALL_ALLTOALL, "....NTc"}},
    {"Alltoallv", {CALL_ALLTOALL, ".m.t.M.Tc"}},
    {"Alltoallw", {CALL_OTHER, "........c"}},
    {"Put", {CALL_PUT, ".nt"}},
    {"Rput", {CALL_PUT, ".nt"}},
    {"Accumulate", {CALL_PUT, ".nt"}},
    {"Raccumulate", {CALL_PUT, ".nt"}},
    {"Get", {CALL_GET, ".NT"}},
    {"Rget", {CALL_GET, ".NT"}},
    {"Comm_dup", {CALL_OTHER, "cC"}},
    {"Comm_split", {CALL_OTHER, "c..C"}},
    {"Comm_split_type", {CALL_OTHER, "c...C"}},
    {"Comm_create", {CALL_OTHER, "c.C"}},
    {"Comm_create_group", {CALL_OTHER, "c..C"}},
    {"Intercomm_create", {CALL_OTHER, "c....C"}},
    {"Intercomm_merge", {CALL_OTHER, "c.C"}},
    {"Cart_create", {CALL_OTHER, "c....C"}},
    {"Graph_create", {CALL_OTHER, "c....C"}},
    {"Cart_sub", {CALL_OTHER, "c.C"}},
    {"Dist_graph_create", {CALL_OTHER, "c.......C"}},
    {"Dist_graph_create_adjacent", {CALL_OTHER, "c........C"}},
    {"Neighbor_allgather", {CALL_NEIGHBOR_ALLGATHER, ".nt.NTc"}},
    {"Neighbor_allgatherv", {CALL_NEIGHBOR_ALLGATHER, ".nt.M.Tc"}},
    {"Neighbor_alltoall", {CALL_NEIGHBOR_ALLTOALL, ".nt.NTc"}},
    {"Neighbor_alltoallv", {CALL_NEIGHBOR_ALLTOALL, ".m.t.M.Tc"}},
    {"Neighbor_alltoallw", {CALL_OTHER, "........c"}},
};

static const struct call_shape *find(const char *name)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i].shape;
    return NULL;
}

struct call_shape call_shape_of(const char *mpi_name)
{
    char name[64];
    int length = snprintf(name, sizeof(name), "%s", mpi_name + strlen("MPI_"));

    if (length > 2 && length < (int)sizeof(name) && strcmp(name + length - 2, "_c") == 0)
        name[length - 2] = '\0';
    if (strncmp(name, "File_", 5) == 0)
        return (struct call_shape){CALL_FILE, ""};
    const struct call_shape *shape = find(name);

    if (!shape && name[0] == 'I') {
        name[1] = (char)(name[1] - 'a' + 'A');
        shape = find(name + 1);
    }
    return shape ? *shape : (struct call_shape){CALL_OTHER, ""};
}

int call_shape_place(const struct call_shape *shape, char letter)
{
    const char *at = strchr(shape->letters, letter);

    return at ? (int)(at - shape->letters) : -1;
}
