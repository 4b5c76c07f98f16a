/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix matrix_create(int n, int nb)
{
    struct matrix a = {n, nb, n / nb, calloc((size_t)n * (size_t)n, sizeof(double))};
    if (!a.data) {
        fprintf(stderr, "factorize: not enough memory for a matrix of %d x %d\n", n, n);
        exit(1);
    }
    return a;
}

void matrix_destroy(struct matrix *matrix)
{
    free(matrix->data);
    matrix->data = NULL;
}

/* The same numbers whatever the size of the blocks, so that results can be compared. */
static double number(uint64_t row, uint64_t column)
{
    uint64_t z = (row << 32 | column) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
}

void matrix_fill(struct matrix *matrix, int definite)
{
    for (int j = 0; j < matrix->n; j++) {
        for (int i = 0; i < matrix->n; i++) {
            int low = definite && i < j ? j : i, high = definite && i < j ? i : j;
            *element(matrix, i, j) =
                number((uint64_t)low, (uint64_t)high) + (definite && i == j ? matrix->n : 0);
        }
    }
}

void matrix_multiply(const struct matrix *a, const double *x, double *y)
{
    for (int i = 0; i < a->n; i++)
        y[i] = 0;
    for (int j = 0; j < a->n; j++) {
        for (int i = 0; i < a->n; i++)
            y[i] += *element(a, i, j) * x[j];
    }
}

double matrix_norm(const struct matrix *a)
{
    double largest = 0;
    for (int i = 0; i < a->n; i++) {
        double sum = 0;
        for (int j = 0; j < a->n; j++)
            sum += fabs(*element(a, i, j));
        largest = sum > largest ? sum : largest;
    }
    return largest;
}
