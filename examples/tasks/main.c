/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * factorize: blocked factorizations as OpenMP tasks on OpenBLAS and LAPACKE, with a check of the result.
 *
 *     wattle run --tasks -- factorize cholesky -n 2048 -b 128
 */
#define _GNU_SOURCE

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "factorize.h"

/* In units of n * machine epsilon; pivots that are chosen among two blocks let errors grow a little more. */
#define RESIDUAL_MAX 5.0

void openblas_set_num_threads(int threads);

static const struct method *const methods[] = {&method_cholesky, &method_lu,
                                               &method_lu_incremental};

enum { METHODS = sizeof methods / sizeof *methods };

struct options {
    const struct method *method;
    int n, nb, repeats, wait_ms;
};

static int usage(FILE *out)
{
    fprintf(out, "Usage: factorize METHOD [-n N] [-b BLOCK] [-r REPEATS] [-w MILLISECONDS]\n\n"
                 "Factorizes an N x N matrix (default 1024) in blocks of BLOCK (128), REPEATS "
                 "times (1), with a\n"
                 "pause of MILLISECONDS (0) before, between and after, and checks the result. "
                 "OMP_NUM_THREADS says\n"
                 "how many threads work. METHOD:\n");
    for (int i = 0; i < METHODS; i++)
        fprintf(out, "  %-16s%s\n", methods[i]->name, methods[i]->about);
    return out == stdout ? 0 : 2;
}

static int number(const char *text, int low, int high, int *ret)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < low || value > high)
        return -1;
    *ret = (int)value;
    return 0;
}

static int parse(int argc, char **argv, struct options *o)
{
    int letter;
    while ((letter = getopt(argc, argv, "n:b:r:w:")) != -1) {
        int wrong = letter == 'n'   ? number(optarg, 1, 100000, &o->n)
                    : letter == 'b' ? number(optarg, 1, 10000, &o->nb)
                    : letter == 'r' ? number(optarg, 1, 1000000, &o->repeats)
                    : letter == 'w' ? number(optarg, 0, 1000000, &o->wait_ms)
                                    : -1;
        if (wrong)
            return -1;
    }
    for (int i = 0; i < METHODS && optind == argc - 1; i++) {
        if (strcmp(argv[optind], methods[i]->name) == 0)
            o->method = methods[i];
    }
    return o->method && o->n % o->nb == 0 ? 0 : -1;
}

void solve_upper(const struct matrix *a, double *x)
{
    int nb = a->nb;
    for (int k = a->tiles - 1; k >= 0; k--) {
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, nb, block(a, k, k), nb,
                    rows_of(a, x, k), 1);
        for (int i = 0; i < k; i++)
            cblas_dgemv(CblasColMajor, CblasNoTrans, nb, nb, -1, block(a, i, k), nb,
                        rows_of(a, x, k), 1, 1, rows_of(a, x, i), 1);
    }
}

/* |A x - b| / (|A| |x| n epsilon) in the maximum norm, for x = A^-1 b by the factors; -1: no memory. */
static double residual(const struct options *o, const struct matrix *factors, const void *extra)
{
    size_t n = (size_t)o->n;
    struct matrix a = matrix_create(o->n, o->nb);
    double *x = malloc(sizeof(double) * 2 * n), *y = x ? x + n : NULL, off = 0, large = 0;
    if (!x) {
        matrix_destroy(&a);
        return -1;
    }
    matrix_fill(&a, o->method->definite);
    for (size_t i = 0; i < n; i++)
        x[i] = 1 + (double)(i % 7) / 7;
    o->method->solve(factors, extra, x);
    matrix_multiply(&a, x, y);
    for (size_t i = 0; i < n; i++) {
        off = fmax(off, fabs(y[i] - (1 + (double)(i % 7) / 7)));
        large = fmax(large, fabs(x[i]));
    }
    off /= matrix_norm(&a) * large * (double)n * DBL_EPSILON;
    free(x);
    matrix_destroy(&a);
    return off;
}

static void pause_ms(int ms)
{
    if (ms > 0)
        usleep((useconds_t)ms * 1000);
}

static double run(const struct options *o, struct matrix *a, void *extra, int *info)
{
    double spent = 0;
    pause_ms(o->wait_ms);
    for (int r = 0; r < o->repeats && *info == 0; r++) {
        matrix_fill(a, o->method->definite);
        double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
        o->method->factorize(a, extra, info);
        spent += omp_get_wtime() - start;
        pause_ms(o->wait_ms);
    }
    return spent;
}

int main(int argc, char **argv)
{
    struct options o = {.n = 1024, .nb = 128, .repeats = 1};
    int info = 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    if (parse(argc, argv, &o) < 0)
        return usage(stderr);
    openblas_set_num_threads(1); /* the tasks are what runs in parallel */
    struct matrix a = matrix_create(o.n, o.nb);
    void *extra = o.method->prepare(&a);
    double spent = extra ? run(&o, &a, extra, &info) : 0;
    double flop = o.method->flop * o.n * (double)o.n * o.n * o.repeats;
    double off = extra && info == 0 ? residual(&o, &a, extra) : -1;
    if (off >= 0)
        printf("%s: n = %d, blocks of %d, %d threads: %.3f s, %.2f GFLOP/s, residual %.3g (limit "
               "%g)\n",
               o.method->name, o.n, o.nb, omp_get_max_threads(), spent, flop / spent * 1e-9, off,
               RESIDUAL_MAX);
    free(extra);
    matrix_destroy(&a);
    if (!(off >= 0 && off <= RESIDUAL_MAX)) {
        fprintf(stderr, "factorize: %s\n",
                !extra      ? "not enough memory"
                : info != 0 ? "the matrix cannot be factorized"
                            : "the result is wrong");
        return 1;
    }
    return 0;
}
