/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends bytes from rank to rank, in either ABI; see mpi_library.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_library.h"

enum {
    MPICH_WORLD = 0x44000000, /* MPI_COMM_WORLD, MPI_BYTE */
    MPICH_BYTE = 0x4c00010d,
    TAG = 4711,
    PART = 1 << 28 /* maximum bytes per message: counts are int */
};

/* MPI_STATUS_IGNORE is 0 in Open MPI, 1 in MPICH. */
#define MPICH_IGNORE ((void *)(uintptr_t)1)

static int send_part(const struct wtl_mpi_library *library, int to, const void *bytes, int n)
{
    union {
        void *symbol;
        int (*by_pointer)(const void *, int, void *, int, int, void *);
        int (*by_number)(const void *, int, int, int, int, int);
    } function = {.symbol = library->send};
    return library->world ? function.by_pointer(bytes, n, library->byte, to, TAG, library->world)
                          : function.by_number(bytes, n, MPICH_BYTE, to, TAG, MPICH_WORLD);
}

static int receive_part(const struct wtl_mpi_library *library, int from, void *bytes, int n)
{
    union {
        void *symbol;
        int (*by_pointer)(void *, int, void *, int, int, void *, void *);
        int (*by_number)(void *, int, int, int, int, int, void *);
    } function = {.symbol = library->receive};
    return library->world
               ? function.by_pointer(bytes, n, library->byte, from, TAG, library->world, NULL)
               : function.by_number(bytes, n, MPICH_BYTE, from, TAG, MPICH_WORLD, MPICH_IGNORE);
}

static bool can_speak(const struct wtl_mpi_library *library)
{
    return library->send && library->receive && (!library->world || library->byte);
}

int wtl_mpi_send(const struct wtl_mpi_library *library, int to, const void *bytes, size_t n)
{
    const uint8_t *from = (const uint8_t *)bytes;
    if (!can_speak(library))
        return -ENOTSUP;
    for (size_t part; n > 0; from += part, n -= part) {
        part = n < PART ? n : PART;
        if (send_part(library, to, from, (int)part) != 0)
            return -EIO;
    }
    return 0;
}

int wtl_mpi_receive(const struct wtl_mpi_library *library, int from, void *bytes, size_t n)
{
    uint8_t *to = (uint8_t *)bytes;
    if (!can_speak(library))
        return -ENOTSUP;
    for (size_t part; n > 0; to += part, n -= part) {
        part = n < PART ? n : PART;
        if (receive_part(library, from, to, (int)part) != 0)
            return -EIO;
    }
    return 0;
}
