/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls by which a program enters and leaves MPI, in all languages. A Fortran binding may call
 * the C function or not: the outermost call does the work.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "job.h"
#include "next.h"

#define EXPORT __attribute__((visibility("default")))

static unsigned inside; /* inside one of these calls; MPI requires them on one thread */

static mpi_function next_of(const char *name, mpi_function pmpi)
{
    mpi_function next = mpi_next(name, pmpi);

    if (next)
        return next;
    (void)fprintf(stderr,
                  "wattle: %s was called, but no loaded MPI library provides it; link the program "
                  "with its MPI library after -lwattle-mpi\n",
                  name);
    abort();
}

/* Fortran's error argument; in mpi_f08 it is optional, and a caller that omits it does not see
 * errors. */
static int error_of(mpi_word error)
{
    const int *at = (const int *)error;

    return at ? *at : 0;
}

static int after_init(int rc)
{
    if (--inside == 0 && rc == 0)
        job_begin();
    return rc;
}

static void before(void (*what)(void))
{
    if (inside++ == 0)
        what();
}

#define DECLARE(type, name, pmpi, ...)                   \
    extern type pmpi(__VA_ARGS__) __attribute__((weak)); \
    EXPORT type name(__VA_ARGS__);                       \
    EXPORT type name(__VA_ARGS__)
#define NEXT(type, name, pmpi, ...) ((type(*)(__VA_ARGS__))next_of(#name, (mpi_function)(pmpi)))

DECLARE(int, MPI_Init, PMPI_Init, mpi_word argc, mpi_word argv)
{
    inside++;
    return after_init(NEXT(int, MPI_Init, PMPI_Init, mpi_word, mpi_word)(argc, argv));
}

DECLARE(int,
        MPI_Init_thread,
        PMPI_Init_thread,
        mpi_word argc,
        mpi_word argv,
        mpi_word required,
        mpi_word provided)
{
    inside++;
    return after_init(NEXT(int, MPI_Init_thread, PMPI_Init_thread, mpi_word, mpi_word, mpi_word,
                           mpi_word)(argc, argv, required, provided));
}

DECLARE(int, MPI_Finalize, PMPI_Finalize, void)
{
    before(job_end);
    int rc = NEXT(int, MPI_Finalize, PMPI_Finalize, void)();

    inside--;
    return rc;
}

DECLARE(int, MPI_Abort, PMPI_Abort, mpi_word comm, mpi_word code)
{
    before(job_abort);
    int rc = NEXT(int, MPI_Abort, PMPI_Abort, mpi_word, mpi_word)(comm, code);

    inside--;
    return rc;
}

DECLARE(int, MPI_Session_init, PMPI_Session_init, mpi_word info, mpi_word handler, mpi_word session)
{
    int rc = NEXT(int, MPI_Session_init, PMPI_Session_init, mpi_word, mpi_word,
                  mpi_word)(info, handler, session);

    if (inside == 0 && rc == 0)
        job_session_begin();
    return rc;
}

DECLARE(int, MPI_Session_finalize, PMPI_Session_finalize, mpi_word session)
{
    if (inside == 0)
        job_session_end();
    return NEXT(int, MPI_Session_finalize, PMPI_Session_finalize, mpi_word)(session);
}

#define FORTRAN_INIT(name, pmpi)                 \
    DECLARE(void, name, pmpi, mpi_word error)    \
    {                                            \
        inside++;                                \
        NEXT(void, name, pmpi, mpi_word)(error); \
        (void)after_init(error_of(error));       \
    }
#define FORTRAN_INIT_THREAD(name, pmpi)                                                  \
    DECLARE(void, name, pmpi, mpi_word required, mpi_word provided, mpi_word error)      \
    {                                                                                    \
        inside++;                                                                        \
        NEXT(void, name, pmpi, mpi_word, mpi_word, mpi_word)(required, provided, error); \
        (void)after_init(error_of(error));                                               \
    }
#define FORTRAN_FINALIZE(name, pmpi)             \
    DECLARE(void, name, pmpi, mpi_word error)    \
    {                                            \
        before(job_end);                         \
        NEXT(void, name, pmpi, mpi_word)(error); \
        inside--;                                \
    }
#define FORTRAN_ABORT(name, pmpi)                                                \
    DECLARE(void, name, pmpi, mpi_word comm, mpi_word code, mpi_word error)      \
    {                                                                            \
        before(job_abort);                                                       \
        NEXT(void, name, pmpi, mpi_word, mpi_word, mpi_word)(comm, code, error); \
        inside--;                                                                \
    }
FORTRAN_INIT(mpi_init_, pmpi_init_)
FORTRAN_INIT(mpi_init_f08_, pmpi_init_f08_)
FORTRAN_INIT_THREAD(mpi_init_thread_, pmpi_init_thread_)
FORTRAN_INIT_THREAD(mpi_init_thread_f08_, pmpi_init_thread_f08_)
FORTRAN_FINALIZE(mpi_finalize_, pmpi_finalize_)
FORTRAN_FINALIZE(mpi_finalize_f08_, pmpi_finalize_f08_)
FORTRAN_ABORT(mpi_abort_, pmpi_abort_)
FORTRAN_ABORT(mpi_abort_f08_, pmpi_abort_f08_)
