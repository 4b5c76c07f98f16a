/* SPDX-License-Identifier: BSD-3-Clause */
#include "handles.h"

#include <stdbool.h>
#include <string.h>

enum {
    MPICH_WORLD =
        0x44000000, /* MPI_COMM_WORLD, MPI_COMM_NULL, MPI_BYTE of MPICH's ABI (since 2014) */
    MPICH_NULL = 0x04000000,
    MPICH_BYTE = 0x4c00010d,
    TAG = 22549 /* on a separate communicator it conflicts with no other; less than any
                 * MPI_TAG_UB */
};

typedef int call_2(mpi_word, mpi_word);
typedef int call_1(mpi_word);
typedef int call_5(mpi_word, mpi_word, mpi_word, mpi_word, mpi_word);
typedef int call_6(mpi_word, mpi_word, mpi_word, mpi_word, mpi_word, mpi_word);
typedef int call_7(mpi_word, mpi_word, mpi_word, mpi_word, mpi_word, mpi_word, mpi_word);

static mpi_function find(const char *name)
{
    void *symbol = mpi_symbol(name);
    mpi_function function;

    memcpy(&function, &symbol, sizeof(function));
    return function;
}

/* Looked up at each use: there are few, and none is on a hot path. 0 = success. */
#define CALL(type, name, ...) (find(name) && ((type *)find(name))(__VA_ARGS__) == 0 ? 0 : -1)

static mpi_word address(const void *of)
{
    return (mpi_word)of;
}

static bool was_spawned(mpi_word none)
{
    mpi_word parent = 0; /* MPICH writes only the low 4 bytes */

    return CALL(call_1, "PMPI_Comm_get_parent", address(&parent)) == 0 && parent != none;
}

int mpi_handles_open(struct mpi_handles *ret)
{
    struct mpi_handles h = {.world = MPICH_WORLD, .byte = MPICH_BYTE};
    mpi_word none = MPICH_NULL;
    const void *open_mpi = mpi_symbol("ompi_mpi_comm_world");

    if (mpi_symbol("MPI_Abi_get_version"))
        return -1; /* the ABI of MPI 5 has other values */
    h.open_mpi = open_mpi != NULL;
    if (open_mpi) {
        h.world = address(open_mpi);
        h.byte = address(mpi_symbol("ompi_mpi_byte"));
        none = address(mpi_symbol("ompi_mpi_comm_null"));
    }
    if (h.byte == 0 || CALL(call_2, "PMPI_Comm_rank", h.world, address(&h.rank)) < 0 ||
        CALL(call_2, "PMPI_Comm_size", h.world, address(&h.ranks)) < 0)
        return -1;
    h.spawned = was_spawned(none);
    *ret = h;
    return 0;
}

int mpi_handles_copy(struct mpi_handles *h)
{
    return CALL(call_2, "PMPI_Comm_dup", h->world, address(&h->comm));
}

void mpi_handles_close(struct mpi_handles *h)
{
    if (h->comm)
        (void)CALL(call_1, "PMPI_Comm_free", address(&h->comm));
    h->comm = 0;
}

int mpi_handles_allgather(const struct mpi_handles *h, const void *mine, size_t size, void *ret_all)
{
    return CALL(call_7, "PMPI_Allgather", address(mine), size, h->byte, address(ret_all), size,
                h->byte, h->comm);
}

int mpi_handles_broadcast(const struct mpi_handles *h, void *bytes, size_t size)
{
    return CALL(call_5, "PMPI_Bcast", address(bytes), size, h->byte, 0, h->comm);
}

int mpi_handles_send(const struct mpi_handles *h, int to, const void *bytes, size_t size)
{
    return CALL(call_6, "PMPI_Send", address(bytes), size, h->byte, (mpi_word)to, TAG, h->comm);
}

int mpi_handles_receive(const struct mpi_handles *h, int from, void *ret_bytes, size_t size)
{
    uint64_t status[16]; /* an MPI_Status is less than half this size */

    return CALL(call_7, "PMPI_Recv", address(ret_bytes), size, h->byte, (mpi_word)from, TAG,
                h->comm, address(status));
}
