/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The factorization works on tiles that are contiguous in memory, so that each BLAS call touches a
 * block that fits into a core's cache. The three kinds of work in its inner loop are three regions,
 * whose energies `wattle stats` shows separately.
 */
#include "tiles.h"

#include <cblas.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_WATTLE
#    include <wattle/region.h>
#else
static uint32_t wattle_region_id(const char *name)
{
    (void)name;
    return 0;
}
static void wattle_region_begin(uint32_t id)
{
    (void)id;
}
static void wattle_region_end(uint32_t id)
{
    (void)id;
}
#endif

/* LAPACK's own name; OpenBLAS has it, but not its C header. */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

static size_t tile_size(int nb)
{
    return (size_t)nb * (size_t)nb;
}

static double *tile_at(const struct tiles *tiles, int row, int column)
{
    size_t before = (size_t)row * ((size_t)row + 1) / 2 + (size_t)column;

    return tiles->data + before * tile_size(tiles->nb);
}

/* Number of rows in the tiles of tile row `row`. */
static int order_of(const struct tiles *tiles, int row)
{
    int left = tiles->n - row * tiles->nb;

    return left < tiles->nb ? left : tiles->nb;
}

static size_t elements(int n, int nb)
{
    size_t count = ((size_t)n + (size_t)nb - 1) / (size_t)nb;

    return count * (count + 1) / 2 * tile_size(nb);
}

double tiles_bytes(int n, int nb)
{
    return (double)elements(n, nb) * (double)sizeof(double);
}

int tiles_init(struct tiles *tiles, int n, int nb)
{
    double *data = calloc(elements(n, nb), sizeof(*data));

    if (!data)
        return -ENOMEM;
    *tiles = (struct tiles){.n = n, .nb = nb, .count = (n - 1) / nb + 1, .data = data};
    return 0;
}

void tiles_fini(struct tiles *tiles)
{
    free(tiles->data);
    tiles->data = NULL;
}

/* A number in [-0.5, 0.5) that depends only on the element (splitmix64). */
static double noise(int row, int column)
{
    uint64_t z = ((uint64_t)row << 32 | (uint64_t)column) + UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53 - 0.5;
}

static void fill_tile(const struct tiles *tiles, int i, int j)
{
    double *tile = tile_at(tiles, i, j);
    int nb = tiles->nb;

    for (int c = 0; c < order_of(tiles, j); c++) {
        for (int r = 0; r < order_of(tiles, i); r++) {
            int row = i * nb + r, column = j * nb + c;
            double value = row >= column ? noise(row, column) : noise(column, row);

            tile[(size_t)c * (size_t)nb + (size_t)r] = row == column ? value + tiles->n : value;
        }
    }
}

void tiles_fill(struct tiles *tiles)
{
    for (int i = 0; i < tiles->count; i++) {
        for (int j = 0; j <= i; j++)
            fill_tile(tiles, i, j);
    }
}

void tiles_copy(struct tiles *to, const struct tiles *from)
{
    memcpy(to->data, from->data, elements(from->n, from->nb) * sizeof(*from->data));
}

/* The panel: L_ik = A_ik L_kk^-T for the tiles below the diagonal. */
static void solve_panel(struct tiles *tiles, int k)
{
    for (int i = k + 1; i < tiles->count; i++)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                    order_of(tiles, i), order_of(tiles, k), 1.0, tile_at(tiles, k, k), tiles->nb,
                    tile_at(tiles, i, k), tiles->nb);
}

/* The rest: A_ij -= L_ik L_jk^T for the tiles to the right of the panel. */
static void update_rest(struct tiles *tiles, int k)
{
    int nb = tiles->nb, depth = order_of(tiles, k);

    for (int i = k + 1; i < tiles->count; i++) {
        for (int j = k + 1; j < i; j++)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, order_of(tiles, i),
                        order_of(tiles, j), depth, -1.0, tile_at(tiles, i, k), nb,
                        tile_at(tiles, j, k), nb, 1.0, tile_at(tiles, i, j), nb);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, order_of(tiles, i), depth, -1.0,
                    tile_at(tiles, i, k), nb, 1.0, tile_at(tiles, i, i), nb);
    }
}

int tiles_factorize(struct tiles *tiles)
{
    uint32_t potrf = wattle_region_id("potrf");
    uint32_t trsm = wattle_region_id("trsm");
    uint32_t update = wattle_region_id("update");

    for (int k = 0; k < tiles->count; k++) {
        int order = order_of(tiles, k), info = 0;

        wattle_region_begin(potrf);
        dpotrf_("L", &order, tile_at(tiles, k, k), &tiles->nb, &info);
        wattle_region_end(potrf);
        if (info)
            return k * tiles->nb + info;

        wattle_region_begin(trsm);
        solve_panel(tiles, k);
        wattle_region_end(trsm);

        wattle_region_begin(update);
        update_rest(tiles, k);
        wattle_region_end(update);
    }
    return 0;
}

/* y += A x for a symmetric A stored as its lower triangle. */
static void multiply_symmetric(const struct tiles *a, const double *x, double *y)
{
    int nb = a->nb;

    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < i; j++) {
            const double *tile = tile_at(a, i, j);
            int rows = order_of(a, i), columns = order_of(a, j);

            cblas_dgemv(CblasColMajor, CblasNoTrans, rows, columns, 1.0, tile, nb, x + j * nb, 1,
                        1.0, y + i * nb, 1);
            cblas_dgemv(CblasColMajor, CblasTrans, rows, columns, 1.0, tile, nb, x + i * nb, 1, 1.0,
                        y + j * nb, 1);
        }
        cblas_dsymv(CblasColMajor, CblasLower, order_of(a, i), 1.0, tile_at(a, i, i), nb,
                    x + i * nb, 1, 1.0, y + i * nb, 1);
    }
}

/* x = L L^T x, with L lower triangular. */
static void multiply_factor(const struct tiles *l, double *x)
{
    int nb = l->nb;

    for (int j = 0; j < l->count; j++) { /* x = L^T x, from the top: row j needs x below j */
        cblas_dtrmv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, order_of(l, j),
                    tile_at(l, j, j), nb, x + j * nb, 1);
        for (int i = j + 1; i < l->count; i++)
            cblas_dgemv(CblasColMajor, CblasTrans, order_of(l, i), order_of(l, j), 1.0,
                        tile_at(l, i, j), nb, x + i * nb, 1, 1.0, x + j * nb, 1);
    }
    for (int i = l->count - 1; i >= 0; i--) { /* x = L x, from the bottom */
        cblas_dtrmv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, order_of(l, i),
                    tile_at(l, i, i), nb, x + i * nb, 1);
        for (int j = 0; j < i; j++)
            cblas_dgemv(CblasColMajor, CblasNoTrans, order_of(l, i), order_of(l, j), 1.0,
                        tile_at(l, i, j), nb, x + j * nb, 1, 1.0, x + i * nb, 1);
    }
}

double tiles_residual(const struct tiles *factor, const struct tiles *matrix)
{
    int n = matrix->n;
    double *x = malloc((size_t)n * sizeof(*x));
    double *y = calloc((size_t)n, sizeof(*y));
    double residual = -1.0;

    if (x && y) {
        double size;

        for (int i = 0; i < n; i++)
            x[i] = noise(i, n);
        multiply_symmetric(matrix, x, y);
        multiply_factor(factor, x);
        size = cblas_dnrm2(n, y, 1);
        cblas_daxpy(n, -1.0, y, 1, x, 1);
        residual = cblas_dnrm2(n, x, 1) / (size * (double)n * DBL_EPSILON);
    }
    free(x);
    free(y);
    return residual;
}
