/* SPDX-License-Identifier: BSD-3-Clause */
/* Empty tasks, then empty parallel regions, of one thread: ns for each. For bench_openmp.py. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile long last;

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1000000;

#pragma omp parallel num_threads(1)
    last = 0;
    double begin = omp_get_wtime();
#pragma omp parallel num_threads(1)
#pragma omp single
    for (long i = 0; i < n; i++) {
#pragma omp task
        last = 1;
    }
    double middle = omp_get_wtime();

    for (long i = 0; i < n / 10; i++) {
#pragma omp parallel num_threads(1)
        last = 2;
    }
    double end = omp_get_wtime();

    (void)printf("%.1f %.1f\n", 1e9 * (middle - begin) / (double)n,
                 1e10 * (end - middle) / (double)n);
    return 0;
}
