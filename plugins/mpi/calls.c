/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of calls.def by their names in C, Fortran (mpif.h, mpi) and Fortran 2008 (mpi_f08). A
 * Fortran call has one more argument, the error. Whether an MPI library's Fortran binding calls the
 * C function or not, each call is counted once (call_time.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "call_time.h"
#include "next.h"

#define EXPORT __attribute__((visibility("default")))

/* Lists of N parameters, and of N arguments. */
#define P1          mpi_word a1
#define P2          P1, mpi_word a2
#define P3          P2, mpi_word a3
#define P4          P3, mpi_word a4
#define P5          P4, mpi_word a5
#define P6          P5, mpi_word a6
#define P7          P6, mpi_word a7
#define P8          P7, mpi_word a8
#define P9          P8, mpi_word a9
#define P10         P9, mpi_word a10
#define P11         P10, mpi_word a11
#define P12         P11, mpi_word a12
#define P13         P12, mpi_word a13
#define P14         P13, mpi_word a14
#define A1          a1
#define A2          A1, a2
#define A3          A2, a3
#define A4          A3, a4
#define A5          A4, a5
#define A6          A5, a6
#define A7          A6, a7
#define A8          A7, a8
#define A9          A8, a9
#define A10         A9, a10
#define A11         A10, a11
#define A12         A11, a12
#define A13         A12, a13
#define A14         A13, a14
#define ONE_MORE_1  2
#define ONE_MORE_2  3
#define ONE_MORE_3  4
#define ONE_MORE_4  5
#define ONE_MORE_5  6
#define ONE_MORE_6  7
#define ONE_MORE_7  8
#define ONE_MORE_8  9
#define ONE_MORE_9  10
#define ONE_MORE_10 11
#define ONE_MORE_11 12
#define ONE_MORE_12 13
#define ONE_MORE_13 14
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* A program linked with this library can find a call that its MPI does not have. */
static _Noreturn __attribute__((cold, noinline)) void no_such_call(const char *name)
{
    (void)fprintf(stderr,
                  "wattle: %s was called, but no loaded MPI library provides it; link the program "
                  "with its MPI library after -lwattle-mpi\n",
                  name);
    abort();
}

/* Looked up once; a second thread may look it up again, with the same result. */
static inline mpi_function next_of(mpi_function *cache, const char *name, mpi_function pmpi)
{
    mpi_function next = __atomic_load_n(cache, __ATOMIC_RELAXED);

    if (__builtin_expect(!next, 0)) {
        next = mpi_next(name, pmpi);
        if (!next)
            no_such_call(name);
        __atomic_store_n(cache, next, __ATOMIC_RELAXED);
    }
    return next;
}

/* A C++ exception thrown by an error handler skips the cleanup. */
#define WRAP(type, name, pmpi, parameters, arguments, give)                    \
    extern type pmpi(parameters) __attribute__((weak));                        \
    EXPORT type name(parameters);                                              \
    EXPORT type name(parameters)                                               \
    {                                                                          \
        static mpi_function cache;                                             \
        type (*next)(parameters) =                                             \
            (type(*)(parameters))next_of(&cache, #name, (mpi_function)(pmpi)); \
        __attribute__((cleanup(call_time_end))) struct timed_call call;        \
                                                                               \
        call_time_begin(&call);                                                \
        give next(arguments);                                                  \
    }

#define C_CALL(name, n) WRAP(int, MPI_##name, PMPI_##name, JOIN(P, n), JOIN(A, n), return )
#define FORTRAN(name, n)                                                \
    WRAP(void, mpi_##name##_, pmpi_##name##_, JOIN(P, n), JOIN(A, n), ) \
    WRAP(void, mpi_##name##_f08_, pmpi_##name##_f08_, JOIN(P, n), JOIN(A, n), )
#define CALL(name, fortran, n)  C_CALL(name, n) FORTRAN(fortran, JOIN(ONE_MORE_, n))
#define LARGE(name, fortran, n) CALL(name, fortran, n) C_CALL(name##_c, n)

#include "calls.def"
