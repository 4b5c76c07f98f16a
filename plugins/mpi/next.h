/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forwards a call to the next function of its name, so that another tool loaded after this one gets
 * the call, too. No mpi.h: the arguments of all MPI calls are words (pointers, integers, handles),
 * which are passed on unchanged.
 */
#ifndef WATTLE_MPI_NEXT_H
#define WATTLE_MPI_NEXT_H

#include <stdint.h>

/* An argument: the content of the register or stack slot, whatever it means. Valid for the calling
 * conventions of all 64-bit Linux systems, where a narrower argument uses a whole word. */
typedef uintptr_t mpi_word;

/* A function with any arguments; to be cast to its real type. */
typedef void (*mpi_function)(void);

/*
 * The next function called `name` after this library in load order; in a library that a program
 * (Python, Julia) has opened itself; else `pmpi`, which is linked in or NULL; else in the
 * launcher's library, which is then opened. NULL if none is found.
 */
mpi_function mpi_next(const char *name, mpi_function pmpi);

/* A function or object of the MPI library; NULL if not found. */
void *mpi_symbol(const char *name);

#endif
