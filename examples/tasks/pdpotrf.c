/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pdpotrf: a Cholesky factorization by ScaLAPACK over MPI, with a check of the result.
 *
 *     mpirun -n 4 wattle run -- pdpotrf 2000 128
 */
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* BLACS and ScaLAPACK come without headers. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n,
            const int *nb,
            const int *process,
            const int *source,
            const int *processes);
void descinit_(int *desc,
               const int *m,
               const int *n,
               const int *mb,
               const int *nb,
               const int *row,
               const int *column,
               const int *context,
               const int *lead,
               int *info);
void pdpotrf_(const char *uplo,
              const int *n,
              double *a,
              const int *ia,
              const int *ja,
              const int *desc,
              int *info);
void pdpotrs_(const char *uplo,
              const int *n,
              const int *columns,
              const double *a,
              const int *ia,
              const int *ja,
              const int *desc,
              double *b,
              const int *ib,
              const int *jb,
              const int *desc_b,
              int *info);
void pdsymv_(const char *uplo,
             const int *n,
             const double *alpha,
             const double *a,
             const int *ia,
             const int *ja,
             const int *desc,
             const double *x,
             const int *ix,
             const int *jx,
             const int *desc_x,
             const int *inc_x,
             const double *beta,
             double *y,
             const int *iy,
             const int *jy,
             const int *desc_y,
             const int *inc_y);

/* Within the prototypes of Fortran. */
static const int zero = 0, one = 1;
static const double plus = 1, minus = -1;

struct grid {
    int context, rows, columns, row, column;
};

/* A matrix of which this process has local_rows x local_columns numbers. */
struct part {
    int desc[9], rows, columns;
    double *data;
};

static struct part part_create(const struct grid *g, int n, int columns, int nb)
{
    struct part p = {.rows = numroc_(&n, &nb, &g->row, &zero, &g->rows),
                     .columns = numroc_(&columns, &nb, &g->column, &zero, &g->columns)};
    int lead = p.rows > 1 ? p.rows : 1, info;
    descinit_(p.desc, &n, &columns, &nb, &nb, &zero, &zero, &g->context, &lead, &info);
    p.data = calloc((size_t)lead * (size_t)(p.columns > 1 ? p.columns : 1), sizeof *p.data);
    if (!p.data || info != 0) {
        fprintf(stderr, "pdpotrf: not enough memory for a matrix of %d x %d\n", n, columns);
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1); /* not reached */
    }
    return p;
}

/* Of the whole matrix, for local index i. */
static int global_index(int i, int nb, int process, int processes)
{
    return (i / nb * processes + process) * nb + i % nb;
}

static double number(uint64_t row, uint64_t column)
{
    uint64_t z = (row << 32 | column) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
}

/* Symmetric and positive definite. */
static void fill(struct part *a, const struct grid *g, int n, int nb)
{
    for (int j = 0; j < a->columns; j++) {
        uint64_t column = (uint64_t)global_index(j, nb, g->column, g->columns);
        for (int i = 0; i < a->rows; i++) {
            uint64_t row = (uint64_t)global_index(i, nb, g->row, g->rows);
            double value = row < column ? number(row, column) : number(column, row);
            a->data[(size_t)j * (size_t)a->rows + (size_t)i] = value + (row == column ? n : 0);
        }
    }
}

static double largest(const struct part *a)
{
    double mine = 0, all;
    for (size_t i = 0; i < (size_t)a->rows * (size_t)a->columns; i++)
        mine = fmax(mine, fabs(a->data[i]));
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* |b - A x| / (|A| |x| n epsilon) with b = all ones; |A| is n or more. Fills `a` anew. */
static double residual(const struct grid *g, struct part *a, int n, int nb)
{
    struct part x = part_create(g, n, 1, nb), r = part_create(g, n, 1, nb);
    int info;
    for (int i = 0; i < x.rows * x.columns; i++)
        x.data[i] = r.data[i] = 1;
    pdpotrs_("U", &n, &one, a->data, &one, &one, a->desc, x.data, &one, &one, x.desc, &info);
    fill(a, g, n, nb);
    pdsymv_("U", &n, &minus, a->data, &one, &one, a->desc, x.data, &one, &one, x.desc, &one, &plus,
            r.data, &one, &one, r.desc, &one);
    double off = largest(&r) / (n * largest(&x) * n * DBL_EPSILON);
    free(x.data);
    free(r.data);
    return off;
}

static int factorize(const struct grid *g, int n, int nb)
{
    struct part a = part_create(g, n, n, nb);
    int info, status;
    fill(&a, g, n, nb);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    pdpotrf_("U", &n, a.data, &one, &one, a.desc, &info);
    MPI_Barrier(MPI_COMM_WORLD);
    double spent = MPI_Wtime() - start, off = info == 0 ? residual(g, &a, n, nb) : -1;
    status = off >= 0 && off < 5 ? 0 : 1;
    if (g->row == 0 && g->column == 0)
        printf("pdpotrf: n = %d, blocks of %d, %d x %d processes: %.3f s, %.2f GFLOP/s, residual "
               "%.3g%s\n",
               n, nb, g->rows, g->columns, spent, (double)n * n * n / 3 / spent * 1e-9, off,
               status ? ": the result is wrong" : "");
    free(a.data);
    return status;
}

int main(int argc, char **argv)
{
    int size, n = argc > 1 ? atoi(argv[1]) : 1000, nb = argc > 2 ? atoi(argv[2]) : 64, status = 2;
    struct grid g = {.rows = 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int rows = 1; rows * rows <= size; rows++) /* as square as possible */
        g.rows = size % rows == 0 ? rows : g.rows;
    g.columns = size / g.rows;
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridinit(&g.context, "Row", g.rows, g.columns);
    Cblacs_gridinfo(g.context, &g.rows, &g.columns, &g.row, &g.column);
    if (n > 0 && nb > 0 && n <= 200000)
        status = factorize(&g, n, nb);
    else if (g.row == 0 && g.column == 0)
        fprintf(stderr, "Usage: pdpotrf [N [BLOCK]]\n");
    Cblacs_gridexit(g.context);
    MPI_Finalize();
    return status;
}
