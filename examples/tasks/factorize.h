/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorizations as OpenMP tasks. Each is two functions: one creates the tasks (called by one thread of a parallel region), the
 * other solves A x = b with the factors, in place, so that the result can be checked.
 */
#ifndef EXAMPLE_FACTORIZE_H
#define EXAMPLE_FACTORIZE_H

#include "matrix.h"

#ifdef HAVE_WATTLE
#    include <wattle/region.h>
/* Marks the calls of a kernel, so that `wattle tasks --by region` can tell them apart without an OpenMP tool. */
#    define KERNEL(name) WATTLE_REGION_SCOPE(name)
#else
#    define KERNEL(name) ((void)0)
#endif

struct method {
    const char *name, *about;
    int definite; /* needs such a matrix */
    double flop;  /* in units of n^3 */
    /* What it needs beside the matrix: pivots and the like. NULL: out of memory. */
    void *(*prepare)(const struct matrix *a);
    /* *info: 0, or not if the matrix is singular or not positive definite. */
    void (*factorize)(struct matrix *a, void *extra, int *info);
    void (*solve)(const struct matrix *a, const void *extra, double *x);
};

extern const struct method method_cholesky, method_lu, method_lu_incremental;

/* A x = b with the upper triangle of A, in place. */
void solve_upper(const struct matrix *a, double *x);

#endif
