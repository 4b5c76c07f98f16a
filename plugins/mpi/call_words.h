/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments of calls as numbers, in the three languages and both ABIs: C passes numbers and handles, Fortran their
 * addresses. Handles are given as those of C.
 */
#ifndef WATTLE_MPI_CALL_WORDS_H
#define WATTLE_MPI_CALL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_shape.h"
#include "next.h"

enum call_language { CALL_C, CALL_FORTRAN, CALL_F08 };

/* A call of calls.def in one language; constant after its first use. */
struct call_site {
    const char *name; /* "MPI_Send" */
    enum call_language language;
    uint32_t id; /* region id of the name; 0 = not used yet */
    uint32_t state;
    bool large; /* counts are MPI_Count */
    struct call_shape shape;
};

struct call_status {
    int source, tag;
    uint64_t bytes;
};

enum { CALL_STATUS_BYTES = 24 }; /* of the larger ABI */

/* Of the ABI; once, after MPI_Init. open_mpi: its ABI, else that of MPICH. */
void call_words_open(bool open_mpi);
bool call_words_known(void);

/* The argument with this letter; the call must have it. */
int64_t call_number(const struct call_site *site, const mpi_word *words, char letter);
mpi_word call_comm(const struct call_site *site, const mpi_word *words);
/* The communicator that the call made; 0 = none. */
mpi_word call_new_comm(const struct call_site *site, const mpi_word *words);
/* Bytes of one element of the type; -1 = unknown. */
int64_t call_type_size(const struct call_site *site, const mpi_word *words, char letter);
/* Element i of an array of counts, or of other numbers. */
int64_t call_element(const struct call_site *site, mpi_word array, size_t i, bool is_count);
/* Request i, as the caller has it. */
mpi_word call_request(const struct call_site *site, mpi_word array, size_t i);

/* Does the caller not want the status? */
bool call_status_ignored(const struct call_site *site, mpi_word word);
/* Status i at this address; false = nothing known. */
bool call_status_read(const struct call_site *site,
                      mpi_word word,
                      size_t i,
                      struct call_status *ret);
bool call_in_place(const struct call_site *site, mpi_word buffer);

#endif
