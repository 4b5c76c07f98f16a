/* SPDX-License-Identifier: BSD-3-Clause */
/* A symmetric matrix stored as the tiles of its lower triangle, and its Cholesky factorization. */
#ifndef CHOLESKY_TILES_H
#define CHOLESKY_TILES_H

#include <stddef.h>

struct tiles {
    int n;        /* order of the matrix */
    int nb;       /* order of a tile; tiles at the lower and right border may be smaller */
    int count;    /* tiles per direction */
    double *data; /* tile after tile, each column-major with leading dimension nb */
};

/* Allocates the lower triangle of an n x n matrix. Returns 0, or -ENOMEM. */
int tiles_init(struct tiles *tiles, int n, int nb);
void tiles_fini(struct tiles *tiles);

/* Bytes that tiles_init() allocates. */
double tiles_bytes(int n, int nb);

/* A symmetric positive definite matrix: reproducible noise, and a diagonal that dominates it. */
void tiles_fill(struct tiles *tiles);
void tiles_copy(struct tiles *to, const struct tiles *from);

/*
 * A = L L^T in place, right-looking: for each column of tiles potrf on the diagonal, trsm below it,
 * syrk and gemm on the tiles to the right. Returns 0, or the order of the leading minor that is not
 * positive definite.
 */
int tiles_factorize(struct tiles *tiles);

/*
 * ||L L^T x - A x|| / (||A x|| n eps) for a fixed vector x: of the order of 1 if L is the factor of
 * A to machine precision. Returns a negative number if out of memory.
 */
double tiles_residual(const struct tiles *factor, const struct tiles *matrix);

#endif
