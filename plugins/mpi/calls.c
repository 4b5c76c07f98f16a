/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of calls.def by their names in C, Fortran (mpif.h, mpi) and Fortran 2008 (mpi_f08). A
 * Fortran call has one more argument, the error. Whether an MPI library's Fortran binding calls the
 * C function or not, each call is counted once (call_time.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "call_state.h"
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
#define W1          words[0]
#define W2          W1, words[1]
#define W3          W2, words[2]
#define W4          W3, words[3]
#define W5          W4, words[4]
#define W6          W5, words[5]
#define W7          W6, words[6]
#define W8          W7, words[7]
#define W9          W8, words[8]
#define W10         W9, words[9]
#define W11         W10, words[10]
#define W12         W11, words[11]
#define W13         W12, words[12]
#define W14         W13, words[13]
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

/* Fortran's error argument; optional in mpi_f08, where a caller without it has no errors that it could survive. */
static inline int error_of(mpi_word error)
{
    return error ? *(const int *)error : 0; /* NOLINT: an argument of the caller */
}

/* A C++ exception thrown by an error handler skips the cleanup. With tasks recorded a call goes the longer way, in
 * which its arguments are seen. */
#define BEGIN(type, symbol, pmpi, n, of, in)                                     \
    extern type pmpi(JOIN(P, n)) __attribute__((weak));                          \
    EXPORT type symbol(JOIN(P, n));                                              \
    EXPORT type symbol(JOIN(P, n))                                               \
    {                                                                            \
        static mpi_function cache;                                               \
        static struct call_site site = {.name = (of), .language = (in)};         \
        type (*next)(JOIN(P, n)) =                                               \
            (type(*)(JOIN(P, n)))next_of(&cache, #symbol, (mpi_function)(pmpi)); \
        __attribute__((cleanup(call_time_end))) struct timed_call call;          \
                                                                                 \
        call_time_begin(&call);

#define ENTER(n)                                        \
    mpi_word words[] = {JOIN(A, n)};                    \
                                                        \
    call_state_enter(&site, call.counter->room, words); \
    call.inside = &site;

#define LEAVE(rc)       \
    call.inside = NULL; \
    call_state_leave(&site, call.counter->room, words, rc);

#define C_WRAP(name, pmpi, n, of)         \
    BEGIN(int, name, pmpi, n, of, CALL_C) \
    if (__builtin_expect(!call.state, 1)) \
        return next(JOIN(A, n));          \
    ENTER(n)                              \
    int rc = next(JOIN(W, n));            \
                                          \
    LEAVE(rc)                             \
    return rc;                            \
    }

#define FORTRAN_WRAP(name, pmpi, n, of, in) \
    BEGIN(void, name, pmpi, n, of, in)      \
    if (__builtin_expect(!call.state, 1)) { \
        next(JOIN(A, n));                   \
        return;                             \
    }                                       \
    ENTER(n)                                \
    next(JOIN(W, n));                       \
    LEAVE(error_of(words[(n)-1]))           \
    }

#define C_CALL(name, n) C_WRAP(MPI_##name, PMPI_##name, n, "MPI_" #name)
#define FORTRAN(name, fortran, n)                                                    \
    FORTRAN_WRAP(mpi_##fortran##_, pmpi_##fortran##_, n, "MPI_" #name, CALL_FORTRAN) \
    FORTRAN_WRAP(mpi_##fortran##_f08_, pmpi_##fortran##_f08_, n, "MPI_" #name, CALL_F08)
/* A macro for the number, since # and ## take an argument as it is written. */
#define FORTRAN_N(name, fortran, n) FORTRAN(name, fortran, n)
#define CALL(name, fortran, n)      C_CALL(name, n) FORTRAN_N(name, fortran, JOIN(ONE_MORE_, n))
#define LARGE(name, fortran, n)     CALL(name, fortran, n) C_CALL(name##_c, n)

#include "calls.def"
