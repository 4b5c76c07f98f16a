/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P A = L U with partial pivoting, as in LAPACK: a task factorizes a whole column of blocks (the panel) and chooses its pivots, and
 * each column to its right has its rows exchanged, is solved with the panel's triangle, and updated. The panels are a chain that
 * no number of cores makes shorter; LU with incremental pivoting does without it.
 */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "factorize.h"

/* Copies rows first ... of a column of blocks to `to`, which is stored by columns as a whole, or back. */
static void copy_panel(const struct matrix *a, int column, int first, double *to, int back)
{
    int nb = a->nb, rows = (a->tiles - first) * nb;
    for (int i = first; i < a->tiles; i++) {
        for (int j = 0; j < nb; j++) {
            double *in = block(a, i, column) + cells(j, nb);
            double *out = to + cells(j, rows) + cells(i - first, nb);
            memcpy(back ? in : out, back ? out : in, sizeof(double) * (size_t)nb);
        }
    }
}

static void getrf(const struct matrix *a, int k, int *pivots, int *info)
{
    KERNEL("dgetrf");
    int nb = a->nb, rows = (a->tiles - k) * nb;
    double *panel = malloc(sizeof(double) * (size_t)rows * (size_t)nb);
    lapack_int rc = -1;
    if (panel) {
        copy_panel(a, k, k, panel, 0);
        rc = LAPACKE_dgetrf(LAPACK_COL_MAJOR, rows, nb, panel, rows, pivots);
        copy_panel(a, k, k, panel, 1);
    }
    free(panel);
    if (rc != 0) {
#pragma omp atomic write
        *info = rc;
    }
}

/* The pivots of step k count from row k * nb, from 1. */
static void laswp(const struct matrix *a, int k, int j, const int *pivots)
{
    KERNEL("dlaswp");
    int nb = a->nb;
    for (int r = 0; r < nb; r++) {
        int one = k * nb + r, other = k * nb + pivots[r] - 1;
        if (one != other)
            cblas_dswap(nb, element(a, one, j * nb), nb, element(a, other, j * nb), nb);
    }
}

static void trsm(const struct matrix *a, int k, int j)
{
    KERNEL("dtrsm");
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, a->nb, a->nb, 1,
                block(a, k, k), a->nb, block(a, k, j), a->nb);
}

static void gemm(const struct matrix *a, int k, int j)
{
    KERNEL("dgemm");
    int nb = a->nb;
    for (int i = k + 1; i < a->tiles; i++)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, nb, nb, nb, -1, block(a, i, k), nb,
                    block(a, k, j), nb, 1, block(a, i, j), nb);
}

static void *prepare(const struct matrix *a)
{
    return calloc((size_t)a->n, sizeof(int));
}

static void factorize(struct matrix *a, void *extra, int *info)
{
    const struct matrix m = *a;
    for (int k = 0; k < m.tiles; k++) {
        const double *panel = block(&m, 0, k); /* stands for the whole column */
        int *pivots = (int *)extra + cells(k, m.nb);
        (void)panel; /* gcc overlooks that the clauses use it */
#pragma omp task depend(inout : panel[0])
        getrf(&m, k, pivots, info);
        for (int j = k + 1; j < m.tiles; j++) {
            const double *column = block(&m, 0, j);
            (void)column;
#pragma omp task depend(in : panel[0]) depend(inout : column[0])
            laswp(&m, k, j, pivots);
#pragma omp task depend(in : panel[0]) depend(inout : column[0])
            trsm(&m, k, j);
#pragma omp task depend(in : panel[0]) depend(inout : column[0])
            gemm(&m, k, j);
        }
    }
#pragma omp taskwait
    for (int j = 0; j < m.tiles; j++) { /* the rows of L to the left */
#pragma omp task
        for (int k = j + 1; k < m.tiles; k++)
            laswp(&m, k, j, (const int *)extra + cells(k, m.nb));
    }
#pragma omp taskwait
}

static void solve(const struct matrix *a, const void *extra, double *x)
{
    const int *pivots = extra;
    int nb = a->nb;
    for (int row = 0; row < a->n; row++) {
        int other = row / nb * nb + pivots[row] - 1;
        double kept = x[row];
        x[row] = x[other];
        x[other] = kept;
    }
    for (int k = 0; k < a->tiles; k++) { /* L y = P b */
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, nb, block(a, k, k), nb,
                    rows_of(a, x, k), 1);
        for (int i = k + 1; i < a->tiles; i++)
            cblas_dgemv(CblasColMajor, CblasNoTrans, nb, nb, -1, block(a, i, k), nb,
                        rows_of(a, x, k), 1, 1, rows_of(a, x, i), 1);
    }
    solve_upper(a, x);
}

const struct method method_lu = {
    .name = "lu",
    .about =
        "LU factorization with partial pivoting: dgetrf (panel), dlaswp, dtrsm, dgemm (column)",
    .flop = 2.0 / 3,
    .prepare = prepare,
    .factorize = factorize,
    .solve = solve,
};
