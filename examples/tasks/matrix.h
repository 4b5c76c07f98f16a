/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A square matrix in blocks of nb x nb, each of them contiguous and stored by columns, as LAPACK wants it. Task runtimes tell
 * blocks apart by their addresses. n is a multiple of nb.
 */
#ifndef EXAMPLE_MATRIX_H
#define EXAMPLE_MATRIX_H

#include <stddef.h>

struct matrix {
    int n, nb, tiles;
    double *data;
};

/* Zeros. Ends the program if there is no memory. */
struct matrix matrix_create(int n, int nb);
void matrix_destroy(struct matrix *matrix);

/* Random numbers in [-1/2, 1/2); symmetric and positive definite if so asked. */
void matrix_fill(struct matrix *matrix, int definite);

/* y = A x. */
void matrix_multiply(const struct matrix *a, const double *x, double *y);
/* Largest sum of absolute values in a row. */
double matrix_norm(const struct matrix *a);

static inline double *block(const struct matrix *a, int i, int j)
{
    size_t nb = (size_t)a->nb, tiles = (size_t)a->tiles;
    return a->data + ((size_t)j * tiles + (size_t)i) * nb * nb;
}

/* Where row i * nb of a vector is. */
static inline double *rows_of(const struct matrix *a, double *x, int i)
{
    return x + (size_t)i * (size_t)a->nb;
}

/* Numbers in j columns of nb. */
static inline size_t cells(int j, int nb)
{
    return (size_t)j * (size_t)nb;
}

static inline double *element(const struct matrix *a, int row, int column)
{
    return block(a, row / a->nb, column / a->nb) + (size_t)(column % a->nb) * (size_t)a->nb +
           row % a->nb;
}

#endif
