/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LU with incremental pivoting (Quintana-Orti, van de Geijn 2008; the names are PLASMA's): a block below the diagonal is
 * eliminated against the triangle above it, with pivots among these two blocks only, so that a block can be worked on as soon as
 * its neighbours are done. What eliminates block (i, k) is a factorization of 2 nb x nb numbers: its lower part is kept in the
 * place of the block, its upper part (which partial pivoting would not need) beside the matrix.
 */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "factorize.h"

/* Of block (i, k), at i + k * tiles. */
struct extra {
    int *pivots;   /* nb each; of a diagonal block among its own rows, else among 2 nb */
    double *upper; /* nb x nb each: upper part of the elimination's L */
};

static void fail(int *info, int rc)
{
    if (rc != 0) {
#pragma omp atomic write
        *info = rc;
    }
}

static void getrf(int nb, double *a, int *pivots, int *info)
{
    KERNEL("dgetrf");
    fail(info, LAPACKE_dgetrf(LAPACK_COL_MAJOR, nb, nb, a, nb, pivots));
}

static void gessm(int nb, const double *l, const int *pivots, double *a)
{
    KERNEL("dgessm");
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, nb, a, nb, 1, nb, pivots, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, nb, nb, 1, l, nb, a,
                nb);
}

/* One block above another as one of 2 nb rows, and back. */
static void stack(int nb, int columns, double *top, double *low, double *both, int back)
{
    size_t bytes = sizeof(double) * (size_t)nb;
    for (int j = 0; j < columns; j++) {
        double *one = both + cells(j, 2 * nb), *other = one + nb;
        double *upper = top + cells(j, nb), *lower = low + cells(j, nb);
        memcpy(back ? upper : one, back ? one : upper, bytes);
        memcpy(back ? lower : other, back ? other : lower, bytes);
    }
}

/* Eliminate `low` against the upper triangle of `u`. */
static void tstrf(int nb, double *u, double *low, double *upper, int *pivots, int *info)
{
    KERNEL("dtstrf");
    size_t square = (size_t)nb * (size_t)nb;
    double *work = malloc(sizeof(double) * 3 * square), *triangle = work ? work + 2 * square : NULL;
    if (!work) {
        fail(info, -1);
        return;
    }
    memset(triangle, 0, sizeof(double) * square);
    LAPACKE_dlacpy_work(LAPACK_COL_MAJOR, 'U', nb, nb, u, nb, triangle, nb);
    stack(nb, nb, triangle, low, work, 0);
    fail(info, LAPACKE_dgetrf(LAPACK_COL_MAJOR, 2 * nb, nb, work, 2 * nb, pivots));
    stack(nb, nb, upper, low, work, 1);
    LAPACKE_dlacpy_work(LAPACK_COL_MAJOR, 'U', nb, nb, upper, nb, u, nb);
    free(work);
}

/* The same elimination on `columns` columns to the right. */
static void eliminate(int nb,
                      int columns,
                      const double *upper,
                      const double *low,
                      const int *pivots,
                      double *work,
                      double *top,
                      double *a)
{
    stack(nb, columns, top, a, work, 0);
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, columns, work, 2 * nb, 1, nb, pivots, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, nb, columns, 1,
                upper, nb, work, 2 * nb);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, nb, columns, nb, -1, low, nb, work,
                2 * nb, 1, work + nb, 2 * nb);
    stack(nb, columns, top, a, work, 1);
}

static void ssssm(int nb,
                  const double *upper,
                  const double *low,
                  const int *pivots,
                  double *top,
                  double *a,
                  int *info)
{
    KERNEL("dssssm");
    double *work = malloc(sizeof(double) * 2 * (size_t)nb * (size_t)nb);
    if (work)
        eliminate(nb, nb, upper, low, pivots, work, top, a);
    fail(info, work ? 0 : -1);
    free(work);
}

static void *prepare(const struct matrix *a)
{
    size_t blocks = (size_t)a->tiles * (size_t)a->tiles, nb = (size_t)a->nb;
    size_t upper = sizeof(double) * blocks * nb * nb, pivots = sizeof(int) * blocks * nb;
    struct extra *extra = calloc(1, sizeof *extra + upper + pivots);
    if (extra) {
        extra->upper = (double *)(extra + 1);
        extra->pivots = (int *)(extra->upper + blocks * nb * nb);
    }
    return extra;
}

static int *pivots_of(const struct matrix *a, const struct extra *extra, int i, int k)
{
    return extra->pivots + ((size_t)k * (size_t)a->tiles + (size_t)i) * (size_t)a->nb;
}

static double *upper_of(const struct matrix *a, const struct extra *extra, int i, int k)
{
    size_t nb = (size_t)a->nb;
    return extra->upper + ((size_t)k * (size_t)a->tiles + (size_t)i) * nb * nb;
}

static void factorize(struct matrix *a, void *beside, int *info)
{
    const struct extra *extra = beside;
    int nb = a->nb;
    for (int k = 0; k < a->tiles; k++) {
        /* The columns to the right read the lower triangle of the diagonal block while the eliminations below change
         * its upper one, so the two have names of their own: the pivots stand for the lower. */
        double *diagonal = block(a, k, k);
        int *chosen = pivots_of(a, extra, k, k);
#pragma omp task depend(inout : diagonal[0]) depend(out : chosen[0])
        getrf(nb, diagonal, chosen, info);
        for (int j = k + 1; j < a->tiles; j++) {
            double *b = block(a, k, j);
#pragma omp task depend(in : chosen[0]) depend(inout : b[0])
            gessm(nb, diagonal, chosen, b);
        }
        for (int i = k + 1; i < a->tiles; i++) {
            double *low = block(a, i, k), *upper = upper_of(a, extra, i, k);
            int *pivots = pivots_of(a, extra, i, k);
#pragma omp task depend(inout : diagonal[0], low[0])
            tstrf(nb, diagonal, low, upper, pivots, info);
            for (int j = k + 1; j < a->tiles; j++) {
                double *top = block(a, k, j), *b = block(a, i, j);
#pragma omp task depend(in : low[0]) depend(inout : top[0], b[0])
                ssssm(nb, upper, low, pivots, top, b, info);
            }
        }
    }
}

static void solve(const struct matrix *a, const void *beside, double *x)
{
    const struct extra *extra = beside;
    int nb = a->nb;
    double *work = malloc(sizeof(double) * 2 * (size_t)nb);
    for (int k = 0; work && k < a->tiles; k++) {
        double *top = rows_of(a, x, k);
        LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, 1, top, nb, 1, nb, pivots_of(a, extra, k, k), 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, nb, block(a, k, k), nb, top,
                    1);
        for (int i = k + 1; i < a->tiles; i++)
            eliminate(nb, 1, upper_of(a, extra, i, k), block(a, i, k), pivots_of(a, extra, i, k),
                      work, top, rows_of(a, x, i));
    }
    free(work);
    solve_upper(a, x);
}

const struct method method_lu_incremental = {
    .name = "lu-incremental",
    .about = "LU factorization with incremental pivoting: dgetrf, dgessm, dtstrf, dssssm",
    .flop = 2.0 / 3,
    .prepare = prepare,
    .factorize = factorize,
    .solve = solve,
};
