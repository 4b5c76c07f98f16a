/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LU-like: factor a dense matrix that fits into the cache, many times (floating point), then check the product against a
 * matrix that does not (streams through memory), then write a checkpoint (disk). Three phases of about a second each.
 */
#define _POSIX_C_SOURCE 200809L
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 160, COPIES = 200 };

typedef double matrix[N][N];

static matrix *originals; /* COPIES of them: more than a cache */
static matrix work;

/* In place, without pivoting: the matrices are diagonally dominant. */
static void factor(matrix a)
{
    for (int k = 0; k < N; k++) {
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] /= a[k][k];
            for (int j = k + 1; j < N; j++)
                a[i][j] -= f * a[k][j];
        }
    }
}

/* Largest difference between row i of L U and the original. */
static double check_row(matrix lu, matrix original, int i)
{
    double worst = 0;
    for (int j = 0; j < N; j++) {
        double sum = i <= j ? lu[i][j] : 0;
        for (int k = 0; k < i && k <= j; k++)
            sum += lu[i][k] * lu[k][j];
        worst = fmax(worst, fabs(sum - original[i][j]));
    }
    return worst;
}

static double stream(void)
{
    double sum = 0;
    const double *all = &originals[0][0][0];
    for (size_t i = 0; i < (size_t)COPIES * N * N; i++)
        sum += all[i];
    return sum;
}

static int checkpoint(FILE *out)
{
    rewind(out);
    return fwrite(originals, sizeof *originals, 20, out) == 20 && fflush(out) == 0 &&
           fdatasync(fileno(out)) == 0;
}

int main(int argc, char **argv)
{
    uint64_t state = 173205080;
    double worst = 0, sum = 0;
    int good = 1;
    kernel_start(argc, argv,
                 "Factor matrices, stream through memory, write a checkpoint: three phases.");
    originals = malloc(COPIES * sizeof *originals);
    FILE *out = tmpfile();
    if (!originals || !out)
        return 1;
    for (int c = 0; c < COPIES; c++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++)
                originals[c][i][j] = kernel_uniform(&state) + (i == j ? N : 0);
        }
    }
    for (int c = 0; kernel_goes_on(); c = (c + 1) % COPIES) {
        for (double end = kernel_phase(); kernel_time() < end;) {
            memcpy(work, originals[c], sizeof work);
            factor(work);
        }
        for (int i = 0; i < N; i++)
            worst = fmax(worst, check_row(work, originals[c], i));
        for (double end = kernel_phase(); kernel_time() < end;)
            sum += stream();
        for (double end = kernel_phase(); kernel_time() < end;)
            good = good && checkpoint(out);
    }
    return kernel_end("error", worst, good && worst < 1e-9 && sum > 0);
}
