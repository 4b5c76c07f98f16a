/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients, as CG of the NAS benchmarks: solve A x = b for a sparse, symmetric, diagonally dominant matrix with random
 * columns. Two phases: make a right-hand side (processor), and iterate (indirect references to memory).
 */
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

enum { N = 150000, ROW = 8, STEPS = 25 };

static int (*column)[ROW];
static double *x, *b, *r, *p, *q;

/* y = A v with A = 4 I + the average of the symmetric part: entry (i, c) is 0.1 and so is (c, i). */
static void multiply(const double *v, double *y)
{
    for (int i = 0; i < N; i++)
        y[i] = 4 * v[i];
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < ROW; k++) {
            sum += 0.1 * v[column[i][k]];
            y[column[i][k]] += 0.1 * v[i];
        }
        y[i] += sum;
    }
}

static double dot(const double *u, const double *v)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += u[i] * v[i];
    return sum;
}

/* Residual after STEPS steps, relative to b. */
static double solve(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
    double rho = dot(r, r), first = rho;
    for (int step = 0; step < STEPS; step++) {
        multiply(p, q);
        double alpha = rho / dot(p, q), last = rho;
        for (int i = 0; i < N; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        for (int i = 0; i < N; i++)
            p[i] = r[i] + rho / last * p[i];
    }
    return sqrt(rho / first);
}

int main(int argc, char **argv)
{
    uint64_t state = 141421356;
    double worst = 0;
    kernel_start(argc, argv, "Solve sparse systems by conjugate gradients: two phases.");
    column = malloc(N * sizeof *column);
    x = malloc(5 * N * sizeof *x);
    if (!column || !x)
        return 1;
    b = x + N, r = b + N, p = r + N, q = p + N;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < ROW; k++)
            column[i][k] = (int)(kernel_random(&state) % N);
    }
    while (kernel_goes_on()) {
        for (double end = kernel_phase(); kernel_time() < end;) {
            for (int i = 0; i < N; i++)
                b[i] = sin(6.283185307179586 * kernel_uniform(&state));
        }
        worst = fmax(worst, solve());
    }
    return kernel_end("residual", worst, worst < 1e-8);
}
