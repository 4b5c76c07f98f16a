/* SPDX-License-Identifier: BSD-3-Clause */
/* Three task constructs in one function, whose calls an optimizing compiler can make one of. */
#include <stdio.h>
#include <stdlib.h>

#ifdef SAME /* bodies with the same code, which a linker can make one function */
#    define OTHERS(n) 10
#else
#    define OTHERS(n) n
#endif

static volatile long spins;

static void work(long n)
{
    for (long i = 0; i < n; i++)
        spins = i;
}

static void three(long n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (long i = 0; i < n; i++) {
        switch (i % 6) {
        case 0:
#pragma omp task /* merged: one */
            work(10);
            break;
        case 1:
        case 2:
#pragma omp task /* merged: two */
            work(OTHERS(20));
            break;
        default:
#pragma omp task /* merged: three */
            work(OTHERS(30));
        }
    }
}

int main(int argc, char **argv)
{
    three(argc > 1 ? atol(argv[1]) : 60);
    return printf("done\n") < 0;
}
