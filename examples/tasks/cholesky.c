/* SPDX-License-Identifier: BSD-3-Clause */
/* A = U^T U of a symmetric positive definite matrix, of which only the blocks on and above the diagonal are used. */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

#include "factorize.h"

static void potrf(int nb, double *a, int *info)
{
    KERNEL("dpotrf");
    lapack_int rc = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', nb, a, nb);
    if (rc != 0) {
#pragma omp atomic write
        *info = rc;
    }
}

static void trsm(int nb, const double *a, double *b)
{
    KERNEL("dtrsm");
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, nb, nb, 1, a, nb, b,
                nb);
}

static void syrk(int nb, const double *a, double *c)
{
    KERNEL("dsyrk");
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, nb, nb, -1, a, nb, 1, c, nb);
}

static void gemm(int nb, const double *a, const double *b, double *c)
{
    KERNEL("dgemm");
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, nb, nb, nb, -1, a, nb, b, nb, 1, c, nb);
}

static void *prepare(const struct matrix *a)
{
    (void)a;
    return malloc(1);
}

static void factorize(struct matrix *a, void *extra, int *info)
{
    int nb = a->nb;
    (void)extra;
    for (int k = 0; k < a->tiles; k++) {
        double *diagonal = block(a, k, k);
#pragma omp task depend(inout : diagonal[0])
        potrf(nb, diagonal, info);
        for (int j = k + 1; j < a->tiles; j++) {
            double *b = block(a, k, j);
#pragma omp task depend(in : diagonal[0]) depend(inout : b[0])
            trsm(nb, diagonal, b);
        }
        for (int i = k + 1; i < a->tiles; i++) {
            double *left = block(a, k, i), *middle = block(a, i, i);
#pragma omp task depend(in : left[0]) depend(inout : middle[0])
            syrk(nb, left, middle);
            for (int j = i + 1; j < a->tiles; j++) {
                double *right = block(a, k, j), *c = block(a, i, j);
#pragma omp task depend(in : left[0], right[0]) depend(inout : c[0])
                gemm(nb, left, right, c);
            }
        }
    }
}

static void solve(const struct matrix *a, const void *extra, double *x)
{
    int nb = a->nb;
    (void)extra;
    for (int k = 0; k < a->tiles; k++) { /* U^T y = b */
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, nb, block(a, k, k), nb,
                    rows_of(a, x, k), 1);
        for (int j = k + 1; j < a->tiles; j++)
            cblas_dgemv(CblasColMajor, CblasTrans, nb, nb, -1, block(a, k, j), nb, rows_of(a, x, k),
                        1, 1, rows_of(a, x, j), 1);
    }
    solve_upper(a, x);
}

const struct method method_cholesky = {
    .name = "cholesky",
    .about = "Cholesky factorization: dpotrf, dtrsm, dsyrk, dgemm",
    .definite = 1,
    .flop = 1.0 / 3,
    .prepare = prepare,
    .factorize = factorize,
    .solve = solve,
};
