/* SPDX-License-Identifier: BSD-3-Clause */
void run(void);
void run(void)
{
    static volatile int spins;

#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 15; i++) {
#pragma omp task
        spins = i;
    }
}
