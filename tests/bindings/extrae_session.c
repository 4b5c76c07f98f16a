/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session as in the pm framework's paper: a blocked Cholesky factorisation instrumented for Extrae between the begin and
 * end of a power measurement. The calls and their order are the paper's; what they compute is not of interest here.
 *
 *     session N NB
 */
#include <stdlib.h>

#include "extrae_user_events.h"

#define A_ref(i, j) A[((j)-1) * Alda + ((i)-1)]
#define min(a, b)   ((a) < (b) ? (a) : (b))

static int pm_ctr, running, factored, solved;

static int pm_start_counter(int *counter)
{
    return ++*counter;
}

static int pm_stop_counter(int *counter)
{
    return --*counter;
}

static void dpotf2(int n, double *a, int lda, int *info)
{
    a[0] = n * (double)lda;
    factored++;
    *info = 0;
}

static void dtrsm(int m, int n, const double *a, int lda, double *b)
{
    b[0] = a[0] + m * (double)n * lda;
    solved++;
}

static void dpotrf(int n, int nb, double *A, int Alda, int *info)
{
    int k;

    running = pm_start_counter(&pm_ctr);
    Extrae_init();
    for (k = 1; k <= n; k += nb) {
        Extrae_user_function(1);
        // Factor current diagonal block
        Extrae_event(500000001, 1);
        dpotf2(min(nb, n - k + 1), &A_ref(k, k), Alda, info);
        Extrae_event(500000001, 0);

        if (k + nb <= n) {
            // Triangular solve
            Extrae_event(500000001, 2);
            dtrsm(nb, n - k - nb + 1, &A_ref(k, k), Alda, &A_ref(k, k + nb));
            Extrae_event(500000001, 0);
        }
        Extrae_counters();
        Extrae_user_function(0);
    }
    Extrae_fini();
    running = pm_stop_counter(&pm_ctr);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 1, nb = argc > 2 ? atoi(argv[2]) : 1, info = -1;
    double *A = calloc((size_t)n * (size_t)n, sizeof(*A));

    if (!A)
        return 2;
    dpotrf(n, nb, A, n, &info);
    free(A);
    return info == 0 && running == 0 && solved == factored - 1 ? 0 : 1;
}
