/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a call goes on: to the next function of its name, so that another tool behind this one gets its call, too.
 * No mpi.h: the arguments of all MPI calls are words (pointers, integers, handles), which are passed on as they came.
 */
#ifndef WATTLE_MPI_NEXT_H
#define WATTLE_MPI_NEXT_H

#include <stdint.h>

/* An argument: what is in the register or on the stack, whatever it means. True for the calling conventions of all
 * 64-bit Linux systems, where a narrower argument has a word of its own. */
typedef uintptr_t mpi_word;

/* A function with any arguments; to be cast to what it is. */
typedef void (*mpi_function)(void);

/*
 * The next function called `name` behind this library in the order of loading; in a library that a program
 * (Python, Julia) has opened for itself; else `pmpi`, which is linked in or NULL; else in the library of the launcher, which is opened
 * then. NULL when there is none.
 */
mpi_function mpi_next(const char *name, mpi_function pmpi);

/* A function or object of the MPI library; NULL when there is none. */
void *mpi_symbol(const char *name);

#endif
