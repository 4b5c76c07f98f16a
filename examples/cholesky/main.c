/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cholesky: a blocked Cholesky factorization on OpenBLAS, the kind of work that finite element and
 * least squares solvers spend their time on. It repeats for about 10 s, prints its rate and checks
 * its result.
 *
 *     wattle run -- cholesky --n 4096
 */
#define _GNU_SOURCE

#include <cblas.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "tiles.h"

#define RESIDUAL_MAX 10.0 /* in units of n * machine epsilon */

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Factorizes copies of `matrix`; returns 0, or the exit status after printing an error. */
static int repeat(const struct options *options, const struct tiles *matrix, struct tiles *factor)
{
    double n = options->n, flop = n * n * n / 3.0 + n * n / 2.0, spent = 0.0;
    double start = now_s();
    int count = 0;

    do {
        double from;
        int minor;

        tiles_copy(factor, matrix);
        from = now_s();
        minor = tiles_factorize(factor);
        spent += now_s() - from;
        if (minor) {
            fprintf(stderr, "cholesky: the leading minor of order %d is not positive\n", minor);
            return 1;
        }
        count++;
    } while (options->reps ? count < options->reps : now_s() - start < options->seconds);

    printf("%d factorizations in %.3f s, %.2f GFLOP/s\n", count, spent,
           count * flop / spent * 1e-9);
    return 0;
}

/* calloc() may promise more than is available, and the kernel would then kill us half way. */
static bool fits_in_memory(double bytes)
{
    return bytes < 0.9 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static int run(const struct options *options)
{
    struct tiles matrix = {0}, factor = {0};
    double residual, bytes = 2.0 * tiles_bytes(options->n, options->tile);
    int status = 1;

    if (!fits_in_memory(bytes) || tiles_init(&matrix, options->n, options->tile) ||
        tiles_init(&factor, options->n, options->tile)) {
        fprintf(stderr, "cholesky: --n %d needs %.1f GB of memory; choose a smaller one\n",
                options->n, 1e-9 * bytes);
        goto out;
    }
    printf("n = %d, tiles of %d, %d threads\n", options->n, options->tile,
           openblas_get_num_threads());
    tiles_fill(&matrix);
    status = repeat(options, &matrix, &factor);
    if (status)
        goto out;

    residual = tiles_residual(&factor, &matrix);
    printf("residual %.3g (limit %g)\n", residual, RESIDUAL_MAX);
    if (!(residual >= 0.0 && residual <= RESIDUAL_MAX)) {
        fprintf(stderr, "cholesky: the result is wrong\n");
        status = 1;
    }
out:
    tiles_fini(&matrix);
    tiles_fini(&factor);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    int status;

    if (!options_read(argc, argv, &options, &status))
        return status;
    return run(&options);
}
